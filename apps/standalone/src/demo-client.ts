/** The parts of a session that the demo shows. */
export interface DemoSession {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly phase: string | null;
  readonly retry_count: number;
  readonly finished_at: string | null;
  readonly recap: string | null;
  readonly error: { code: string; message: string } | null;
  readonly processing_wait: { position: number; estimated_seconds: number | null } | null;
}

/** The parts of the admin queue that the demo shows. */
export interface DemoQueue {
  readonly endpoints: ReadonlyArray<{
    kind: string;
    provider: string;
    limit: number | null;
    in_use: number | null;
    waiting: number | null;
  }>;
}

/** Uses the product as its user would: over HTTP, with a key. */
export class DemoClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly emulatorUrl: string,
  ) {}

  async createCampaign(name: string): Promise<string> {
    const body = JSON.stringify({ name });
    const { id } = await this.call<{ id: string }>(
      '/api/campaigns',
      { method: 'POST', body },
      'application/json',
    );
    return id;
  }

  async upload(campaignId: string, title: string, audio: Blob): Promise<string> {
    const form = new FormData();
    form.set('title', title);
    form.set('audio', audio, `${title}.wav`);
    const { id } = await this.call<{ id: string }>(`/api/campaigns/${campaignId}/sessions`, {
      method: 'POST',
      body: form,
    });
    return id;
  }

  getSession(id: string): Promise<DemoSession> {
    return this.call(`/api/sessions/${id}`);
  }

  getQueue(): Promise<DemoQueue> {
    return this.call('/api/admin/ai/queue');
  }

  async countUsageRows(): Promise<number> {
    const { items } = await this.call<{ items: unknown[] }>('/api/usage');
    return items.length;
  }

  /** Most transcriptions that ever arrived at the emulator at once: seen there, not by the product. */
  async asrPeak(): Promise<number> {
    const response = await fetch(`${this.emulatorUrl}/emulator/stats`);
    const { asr } = (await response.json()) as { asr: { peak: number } };
    return asr.peak;
  }

  private async call<T>(path: string, init: RequestInit = {}, contentType?: string): Promise<T> {
    const headers = {
      Authorization: `Bearer ${this.key}`,
      ...(contentType ? { 'Content-Type': contentType } : {}),
    };
    const response = await fetch(this.url + path, { ...init, headers });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer as T;
  }
}

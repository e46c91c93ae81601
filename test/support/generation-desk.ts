import type { GenerationDto } from '../../libs/generations/src/http/generation-answers.dto';
import { eventually } from './eventually';
import type { Answer, Call, Product } from './product';

/** Posts that are under way at once when many are posted. */
const POSTS_AT_ONCE = 25;

/** A team that posts generations, each prompt marked so that the emulator counts them per team. */
export class GenerationDesk {
  private constructor(
    private readonly product: Product,
    readonly name: string,
    readonly teamId: string,
    readonly key: string,
  ) {}

  static async open(product: Product, name: string): Promise<GenerationDesk> {
    const { id, key } = await product.createTeam(name);
    return new GenerationDesk(product, name, id, key);
  }

  async post(body: object = {}, call: Call = {}): Promise<Answer<GenerationDto>> {
    const json = { prompt: `[team:${this.name}] Name a town.`, ...body };
    return this.product.call<GenerationDto>('/api/generations', { json, key: this.key, ...call });
  }

  /** @returns the ids, in the order of posting */
  async postMany(count: number, body: object = {}): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const batch = Array.from({ length: Math.min(POSTS_AT_ONCE, count - ids.length) }, () =>
        this.post(body),
      );
      for (const { status, body: posted } of await Promise.all(batch)) {
        if (status !== 202) throw new Error(`A post was answered with ${status}`);
        ids.push(posted.id);
      }
    }
    return ids;
  }

  async get(id: string): Promise<GenerationDto> {
    return (await this.product.call<GenerationDto>(`/api/generations/${id}`, { key: this.key })).body;
  }

  async list(status: GenerationDto['status']): Promise<GenerationDto[]> {
    const items: GenerationDto[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = `status=${status}&limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page: Answer<{ items: GenerationDto[]; next_cursor: string | null }> = await this.product.call(
        `/api/generations?${query}`,
        { key: this.key },
      );
      items.push(...page.body.items);
      cursor = page.body.next_cursor;
    }
    return items;
  }

  async ended(id: string, withinMs = 15_000): Promise<GenerationDto> {
    return eventually(
      `generation ${id} of ${this.name} has ended`,
      async () => {
        const generation = await this.get(id);
        return generation.status !== 'pending' && generation;
      },
      { withinMs },
    );
  }

  async allEnded(withinMs: number): Promise<void> {
    await eventually(
      `nothing of ${this.name} is pending`,
      async () => {
        const page = await this.product.call<{ items: unknown[] }>(
          '/api/generations?status=pending&limit=1',
          {
            key: this.key,
          },
        );
        return page.body.items.length === 0;
      },
      { withinMs },
    );
  }

  async cancel(id: string): Promise<Answer<GenerationDto>> {
    return this.product.call(`/api/generations/${id}/cancel`, { method: 'POST', key: this.key });
  }

  /** How the emulator saw this team. */
  get seen(): { in_flight: number; peak: number; requests: number } {
    const count = this.product.emulator.stats().marks[`team:${this.name}`];
    return count ?? { in_flight: 0, peak: 0, requests: 0 };
  }
}

import { AppError } from '@app/kernel';
import type { LlmAnswer } from '../adapters/llm-adapter';
import type { ProviderAdapters } from '../adapters/provider-adapters';
import type { ProviderEndpoints } from '../endpoint/provider-endpoints';
import { ProviderFailedError } from '../refusal/provider-errors';
import type { ProseCall, ProseResult, StructuredCall, StructuredResult } from './calls';
import { noteConsumed } from './consumed';
import { JsonAnswer, type JsonSchema } from './json-answer';
import { addMeters, estimateTokens } from './meter';
import type { SlottedCall } from './slotted-call';

/** The two ways of every text call, each under a slot. */
export class TextDispatch {
  constructor(
    private readonly endpoints: ProviderEndpoints,
    private readonly adapters: ProviderAdapters,
    private readonly slotted: SlottedCall,
  ) {}

  async dispatchProse(call: ProseCall): Promise<ProseResult> {
    return this.generate(call);
  }

  /**
   * An answer that does not fit the schema is sent back once, with what is wrong about it; `consumedBy` of
   * an error tells what was paid for before it.
   *
   * @throws BadJsonSchemaError before anything is sent
   * @throws ProviderFailedError when the second answer does not fit either
   */
  async generateStructuredText(call: StructuredCall): Promise<StructuredResult> {
    const answer = new JsonAnswer(call.schema);
    const first = await this.generate(call, call.schema);
    const verdict = answer.judge(first.text);
    if (verdict.fits) return { ...first, json: verdict.json };
    const second = await this.repair(call, first, verdict.problems);
    const meter = addMeters(first.meter, second.meter);
    const repaired = answer.judge(second.text);
    if (repaired.fits) return { ...second, json: repaired.json, meter };
    throw noteConsumed(this.noResult(call), meter);
  }

  /** A later call of the same attempt: it waits in place, or is refused in a request. */
  private async repair(call: StructuredCall, first: ProseResult, problems: string): Promise<ProseResult> {
    const prompt =
      `${call.prompt}\n\nAn earlier answer to this was:\n${first.text}\n\nIt cannot be used: ${problems}. ` +
      `Answer again, with nothing but JSON of this schema:\n${JSON.stringify(call.schema)}`;
    try {
      return await this.generate({ ...call, prompt }, call.schema);
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'provider_busy';
      throw noteConsumed(isBusy ? this.noResult(call) : error, first.meter);
    }
  }

  private async generate(call: ProseCall, schema?: JsonSchema): Promise<ProseResult> {
    const endpoint = this.endpoints.forUse(call.use);
    const adapter = this.adapters.llm(endpoint.provider);
    const { system, prompt, maxOutputTokens } = call;
    const model = call.model ?? endpoint.model;
    const { value, durationMs } = await this.slotted.run({ ...call, endpoint, work: 1 }, (wire) =>
      adapter.generate({ endpoint, model, system, prompt, maxOutputTokens, schema }, wire),
    );
    return {
      text: value.text,
      model: value.model,
      meter: {
        provider: endpoint.provider,
        model: value.model,
        ...tokensOf(value, [system, prompt]),
        calls: 1,
        durationMs,
      },
    };
  }

  private noResult(call: ProseCall): ProviderFailedError {
    // The repair was its second chance; a job that began anew would pay for both calls again.
    return new ProviderFailedError(this.endpoints.forUse(call.use), { what: 'failed' }).markSpent();
  }
}

function tokensOf(answer: LlmAnswer, asked: Array<string | undefined>) {
  return {
    inputTokens: answer.inputTokens ?? estimateTokens(...asked),
    outputTokens: answer.outputTokens ?? estimateTokens(answer.text),
    estimated: answer.inputTokens === undefined || answer.outputTokens === undefined,
  };
}

import { AppConfig } from '@app/config';
import { RequestScope } from '@app/request-scope';
import { composeProviders } from '../compose-providers';
import { FakeSlots } from '../testing/fake-slots';
import type { StructuredCall } from './calls';
import { consumedBy } from './consumed';

function setup(...texts: Array<string | object>) {
  const config = Object.assign(new AppConfig(), { QB_ASR_PROVIDER: 'stub', QB_LLM_PROVIDER: 'stub' });
  const requestScope = new RequestScope();
  const slots = new FakeSlots(requestScope);
  const parts = composeProviders({ config, slots: slots.asSlots(), requestScope });
  const prompts: string[] = [];
  jest.spyOn(parts.adapters.stub, 'generate').mockImplementation(({ prompt }) => {
    prompts.push(prompt);
    const next = texts.shift();
    if (typeof next !== 'string') return Promise.reject(next);
    return Promise.resolve({ text: next, model: 'm', inputTokens: 10, outputTokens: 3 });
  });
  return { ...parts, slots, prompts };
}

const SCHEMA = {
  type: 'object',
  required: ['names'],
  properties: { names: { type: 'array', items: { type: 'string' } } },
};

function call(more: Partial<StructuredCall> = {}): StructuredCall {
  return { use: 'llm', prompt: 'Names', schema: SCHEMA, place: { placeId: 'p', group: 'g' }, ...more };
}

describe('generateStructuredText', () => {
  it('returns what fits the schema', async () => {
    const { dispatch, prompts } = setup('{"names":["Ada"]}');
    const result = await dispatch.generateStructuredText(call());
    expect(result).toMatchObject({ json: { names: ['Ada'] }, meter: { calls: 1, inputTokens: 10 } });
    expect(prompts).toEqual(['Names']);
  });

  it('takes a fence off', async () => {
    const { dispatch } = setup('```json\n{"names":[]}\n```');
    expect((await dispatch.generateStructuredText(call())).json).toEqual({ names: [] });
  });

  it('has an answer that does not fit repaired once, in a slot of its own, and counts both', async () => {
    const { dispatch, prompts, slots } = setup('{"names":[7]}', '{"names":["Ada"]}');
    const result = await dispatch.generateStructuredText(call());
    expect(result).toMatchObject({ json: { names: ['Ada'] } });
    expect(result.meter).toMatchObject({ calls: 2, inputTokens: 20, outputTokens: 6, estimated: false });
    expect(prompts[1]).toContain('/names/0 must be string');
    expect(slots.requests).toHaveLength(2);
  });

  it('fails when the repaired answer does not fit either, and tells what that cost', async () => {
    const { dispatch } = setup('no', '{"names":7}', '{"names":["too late"]}');
    const error: unknown = await dispatch.generateStructuredText(call()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'provider_failed' });
    expect(consumedBy(error)).toMatchObject({ calls: 2, inputTokens: 20, outputTokens: 6 });
  });

  it('tells what was paid before a repair that is refused', async () => {
    const { dispatch } = setup('no', { status: 401 });
    const error: unknown = await dispatch.generateStructuredText(call()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'provider_rejected' });
    expect(consumedBy(error)).toMatchObject({ calls: 1, inputTokens: 10 });
  });

  it.each([
    [{ type: 'nonsense' }],
    [{ $ref: 'http://elsewhere/schema' }],
    [{ type: 'string', pattern: '(' }],
  ])('refuses the schema %p before anything is sent', async (schema) => {
    const { dispatch, prompts } = setup('{}');
    await expect(dispatch.generateStructuredText(call({ schema }))).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(prompts).toEqual([]);
  });

  it('knows both drafts of JSON schema', async () => {
    for (const $schema of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      const { dispatch } = setup('{"names":[]}');
      expect((await dispatch.generateStructuredText(call({ schema: { $schema, ...SCHEMA } }))).json).toEqual({
        names: [],
      });
    }
  });
});

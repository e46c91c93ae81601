import Anthropic from '@anthropic-ai/sdk';
import Ajv from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import OpenAI, { toFile } from 'openai';
import type { Emulator } from '../emulator';
import { RunningEmulators, speech } from './running-emulator';

const SAMPLES = join(__dirname, '../../../../samples');
const SCHEMA = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 3 } },
  required: ['names'],
  additionalProperties: false,
};
const messages = [{ role: 'user' as const, content: 'Name three ships' }];
const emulated = /emulated/;
const satisfies = (value: unknown): boolean => new Ajv().validate(SCHEMA, value);

describe('the dialects, spoken by the official clients', () => {
  const emulators = new RunningEmulators();
  afterEach(() => emulators.stopAll());

  it('speaks Ollama', async () => {
    const { url } = await emulators.start();
    const ollama = new Ollama({ host: url });
    const whole = await ollama.chat({ model: 'm', messages });
    expect(whole).toMatchObject({ model: 'm', done: true, done_reason: 'stop', prompt_eval_count: 4 });
    expect(whole.message.content).toMatch(emulated);
    let text = '';
    let last;
    for await (const part of await ollama.chat({ model: 'm', messages, stream: true })) {
      text += part.message.content;
      last = part;
    }
    expect([text, last?.eval_count]).toEqual([whole.message.content, whole.eval_count]);
    const structured = await ollama.chat({ model: 'm', messages, format: SCHEMA });
    expect(satisfies(JSON.parse(structured.message.content))).toBe(true);
    expect((await ollama.list()).models).toHaveLength(1);
    await expect(ollama.version()).resolves.toEqual({ version: '0.0.0-emulator' });
    const cut = await ollama.chat({ model: 'm', messages, options: { num_predict: 2 } });
    expect(cut).toMatchObject({ done_reason: 'length', eval_count: 2 });
  });

  it.each(['', '/openai', '/llamacpp'])('speaks OpenAI chat below "%s"', async (prefix) => {
    const { url } = await emulators.start();
    const openai = new OpenAI({ baseURL: `${url}${prefix}/v1`, apiKey: 'k', maxRetries: 0 });
    const whole = await openai.chat.completions.create({ model: 'm', messages });
    const content = whole.choices[0]?.message.content ?? '';
    expect(content).toMatch(emulated);
    expect(whole.usage?.total_tokens).toBe(4 + Math.ceil(content.length / 4));
    const stream = await openai.chat.completions.create({
      model: 'm',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect([text, usage]).toEqual([content, whole.usage]);
    const structured = await openai.chat.completions.create({
      model: 'm',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'names', schema: SCHEMA, strict: true } },
    });
    expect(satisfies(JSON.parse(structured.choices[0]?.message.content ?? ''))).toBe(true);
  });

  it('speaks Anthropic, with both ways to ask for a structured answer', async () => {
    const { url } = await emulators.start();
    const anthropic = new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 });
    const call = { model: 'm', max_tokens: 500, messages };
    const whole = await anthropic.messages.create({ ...call, system: 'Be brief' });
    expect(whole.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(emulated) as string });
    expect(whole.usage.input_tokens).toBe(7);
    const streamed = await anthropic.messages.stream({ ...call, system: 'Be brief' }).finalMessage();
    expect([streamed.content, streamed.usage.output_tokens]).toEqual([
      whole.content,
      whole.usage.output_tokens,
    ]);

    const format = { type: 'json_schema' as const, schema: SCHEMA };
    const structured = await anthropic.messages.create({ ...call, output_config: { format } });
    expect(
      satisfies(JSON.parse(structured.content[0]?.type === 'text' ? structured.content[0].text : '')),
    ).toBe(true);

    const tools = [{ name: 'answer', input_schema: SCHEMA as Anthropic.Tool.InputSchema }];
    const forced = { ...call, tools, tool_choice: { type: 'tool' as const, name: 'answer' } };
    const used = await anthropic.messages.create(forced);
    expect([used.stop_reason, used.content[0]?.type]).toEqual(['tool_use', 'tool_use']);
    expect(satisfies(used.content[0]?.type === 'tool_use' && used.content[0].input)).toBe(true);
    const usedInStream = await anthropic.messages.stream(forced).finalMessage();
    expect(usedInStream.content).toEqual(used.content);
    await expect(anthropic.messages.create({ ...call, max_tokens: 0 })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('knows the samples by their digest, and says of any other audio that it is emulated', async () => {
    const emulator = await emulators.start();
    const known = JSON.parse(readFileSync(join(SAMPLES, 'transcripts.json'), 'utf8')) as Record<
      string,
      { file: string }
    >;
    expect(Object.keys(known)).toHaveLength(8);
    const openai = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: 'k', maxRetries: 0 });
    for (const { file, ...transcript } of Object.values(known)) {
      const heard = await openai.audio.transcriptions.create({
        file: await toFile(readFileSync(join(SAMPLES, file)), file),
        model: 'whisper',
        response_format: 'verbose_json',
      });
      const { language, duration, segments } = heard;
      const said = segments?.map(({ start, end, text, ...more }) => ({
        start,
        end,
        text,
        speaker: (more as { speaker?: string }).speaker,
      }));
      expect({ language, duration_seconds: duration, segments: said }).toEqual(transcript);
    }
    const other = (await (await speech(emulator, Buffer.alloc(160_000))).json()) as {
      text: string;
      duration: number;
    };
    expect(other.text).toMatch(emulated);
    expect(other.duration).toBe(10);
    expect(await (await speech(emulator, Buffer.alloc(9), { response_format: 'text' })).text()).toMatch(
      emulated,
    );
    expect(await (await speech(emulator, Buffer.alloc(9), {})).json()).toMatchObject({
      usage: { type: 'duration' },
    });
  });

  it('advertises its concurrency only when it is configured', async () => {
    const ask = async (emulator: Emulator, path: string): Promise<unknown> => {
      const response = await fetch(`${emulator.url}${path}`);
      return [
        response.status,
        ((await response.json()) as Record<string, unknown>)[
          path === '/props' ? 'total_slots' : 'concurrency'
        ],
      ];
    };
    const silent = await emulators.start();
    expect([await ask(silent, '/capabilities'), await ask(silent, '/props')]).toEqual([
      [404, undefined],
      [200, undefined],
    ]);
    const open = await emulators.start({ advertised: { asr: 3, llm: 4 } });
    expect([await ask(open, '/capabilities'), await ask(open, '/props')]).toEqual([
      [200, 3],
      [200, 4],
    ]);
    expect((await fetch(`${open.url}/health`)).status).toBe(200);
  });
});

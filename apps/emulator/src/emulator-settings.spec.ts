import { readEmulatorSettings } from './emulator-settings';

describe('readEmulatorSettings', () => {
  it('has its defaults, and takes empty for unset', () => {
    const defaults = {
      port: 9000,
      host: '127.0.0.1',
      holdMs: {},
      concurrency: {},
      advertised: {},
      whenFull: 'queue',
    };
    expect(readEmulatorSettings({})).toMatchObject(defaults);
    expect(readEmulatorSettings({ PORT: '', EMULATOR_HOLD_MS: ' ', EMULATOR_CONCURRENCY: '' })).toMatchObject(
      defaults,
    );
  });

  it('reads one number for both kinds, or one each', () => {
    const settings = readEmulatorSettings({
      PORT: '0',
      HOST: '::1',
      EMULATOR_HOLD_MS: '0',
      EMULATOR_CONCURRENCY: 'asr=2',
      EMULATOR_ADVERTISED_CONCURRENCY: 'asr=2, llm=4',
      EMULATOR_WHEN_FULL: 'refuse',
    });
    expect(settings).toMatchObject({
      port: 0,
      host: '::1',
      holdMs: { asr: 0, llm: 0 },
      concurrency: { asr: 2 },
      advertised: { asr: 2, llm: 4 },
      whenFull: 'refuse',
    });
  });

  it('names every bad variable at once', () => {
    const env = { PORT: 'x', EMULATOR_HOLD_MS: '-1', EMULATOR_CONCURRENCY: '0', EMULATOR_WHEN_FULL: 'panic' };
    expect(() => readEmulatorSettings(env)).toThrow(/PORT[^]*WHEN_FULL[^]*HOLD_MS[^]*EMULATOR_CONCURRENCY/);
  });
});

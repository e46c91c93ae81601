import { inspect } from 'node:util';
import { BadBaseUrlError } from './base-url';
import { endpointCapName, ProviderEndpoint } from './provider-endpoint';

function endpoint(baseUrl: string | undefined, provider: 'whisperx' | 'stub' = 'whisperx'): ProviderEndpoint {
  return new ProviderEndpoint({
    kind: 'asr',
    provider,
    baseUrl,
    model: 'm',
    apiKey: 'SECRET3',
    timeoutMs: 1,
  });
}

describe('ProviderEndpoint', () => {
  it.each([
    ['http://gpu:9000', 'gpu:9000'],
    ['HTTP://GPU:9000/v1/', 'gpu:9000'],
    ['http://gpu.:9000/v1', 'gpu:9000'],
    ['http://user:pass@gpu:9000/?key=1', 'gpu:9000'],
    ['http://gpu', 'gpu:80'],
    ['http://gpu:80/', 'gpu:80'],
    ['https://gpu', 'gpu:443'],
    ['https://gpu:443/v1', 'gpu:443'],
    ['http://[::1]:9000', '[::1]:9000'],
  ])('reads %s as the box %s', (baseUrl, host) => {
    expect(endpoint(baseUrl).host).toBe(host);
    expect(endpointCapName(endpoint(baseUrl))).toBe(`asr:whisperx:${host}`);
  });

  it.each([
    ['http://gpu:9000/v1/', 'http://gpu:9000'],
    ['http://gpu:9000/whisper/v1', 'http://gpu:9000/whisper'],
    ['http://gpu:9000/whisper/', 'http://gpu:9000/whisper'],
  ])('keeps the path of %s, without its version', (baseUrl, expected) => {
    expect(endpoint(baseUrl).baseUrl).toBe(expected);
  });

  it('shows no credential, however it is printed', () => {
    const subject = endpoint('http://user:SECRET1@asr:9000/?key=SECRET2');
    const shown = [
      inspect(subject, { depth: 9, showHidden: true }),
      JSON.stringify(subject),
      subject.baseUrl,
      subject.host,
    ];
    expect(shown.join()).not.toMatch(/SECRET|user/);
    expect(subject.credentials()).toEqual({
      apiKey: 'SECRET3',
      userInfo: 'user:SECRET1',
      query: [['key', 'SECRET2']],
    });
  });

  it.each([['ftp://SECRET1@gpu'], ['SECRET1'], ['gpu:9000'], [''], [undefined]])(
    'refuses %p without repeating it',
    (baseUrl) => {
      expect(() => endpoint(baseUrl)).toThrow(BadBaseUrlError);
      expect(() => endpoint(baseUrl)).not.toThrow(/SECRET1/);
    },
  );

  it('needs no address for the stub, but takes one', () => {
    expect(endpoint(undefined, 'stub').host).toBe('in-process:0');
    expect(endpoint('http://GPU:9000/v1', 'stub').host).toBe('gpu:9000');
  });
});

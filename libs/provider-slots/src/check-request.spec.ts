import { checkLimit, checkRequest } from './check-request';
import { resolveOptions, type SlotsOptions } from './slots-options';
import { BadSlotRequestError } from './slot-errors';
import type { SlotRequest } from './slot-request';

const good: SlotRequest = {
  placeId: 'p',
  group: 'g',
  caps: [{ name: 'a', limit: 1, labels: { kind: 'asr' } }],
};

function optionOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BadSlotRequestError) return error.option;
    throw error;
  }
  return 'accepted';
}

describe('bad use', () => {
  it('lets a sensible request through', () => {
    expect(optionOf(() => checkRequest(good))).toBe('accepted');
    expect(
      optionOf(() => checkRequest({ ...good, ticket: '1790000000000000', work: 0, expiresInMs: 0 })),
    ).toBe('accepted');
  });

  it.each<[string, Partial<SlotRequest>]>([
    ['caps[0].limit', { caps: [{ name: 'a', limit: 1.5 }] }],
    ['caps[0].limit', { caps: [{ name: 'a', limit: 0 }] }],
    ['caps[0].limit', { caps: [{ name: 'a', limit: -1 }] }],
    ['caps[0].limit', { caps: [{ name: 'a', limit: NaN }] }],
    ['caps[0].name', { caps: [{ name: '', limit: 1 }] }],
    ['caps[0].name', { caps: [{ name: 'a\nb', limit: 1 }] }],
    [
      'caps[1].name',
      {
        caps: [
          { name: 'a', limit: 1 },
          { name: '', limit: 1 },
        ],
      },
    ],
    [
      'caps',
      {
        caps: [
          { name: 'a', limit: 1 },
          { name: 'a', limit: 2 },
        ],
      },
    ],
    ['caps', { caps: [] }],
    ['caps[0].labels', { caps: [{ name: 'a', limit: 1, labels: { kind: 'a\nb' } }] }],
    ['placeId', { placeId: '' }],
    ['placeId', { placeId: 'a\u0000' }],
    ['group', { group: '' }],
    ['ticket', { ticket: 'abc' }],
    ['ticket', { ticket: '99999999999999999' }],
    ['work', { work: -1 }],
    ['leaseMs', { leaseMs: -5 }],
    ['expiresInMs', { expiresInMs: -5 }],
  ])('names %s in %j', (option, change) => {
    expect(optionOf(() => checkRequest({ ...good, ...change }))).toBe(option);
  });

  it('names the limit of an override', () => {
    expect(optionOf(() => checkLimit('limit', 2.5))).toBe('limit');
    expect(optionOf(() => checkLimit('limit', null))).toBe('accepted');
  });

  it.each<[string, Partial<SlotsOptions>]>([
    ['leaseMs', { leaseMs: -1 }],
    ['leaseMs', { leaseMs: 0 }],
    ['claimMs', { claimMs: NaN }],
    ['order', { order: 'lifo' as never }],
    ['prefix', { prefix: '' }],
    ['prefix', { prefix: 'a{b}' }],
    ['url', { url: '' }],
    ['sweepMs', { sweepMs: -1 }],
  ])('names the module option %s in %j', (option, change) => {
    expect(optionOf(() => resolveOptions({ url: 'redis://localhost', prefix: 'p', ...change }))).toBe(option);
  });
});

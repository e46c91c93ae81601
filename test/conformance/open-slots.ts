import type { ProviderSlots } from '@app/provider-slots';
import type { RequestScope } from '@app/request-scope';
import { FakeSlots } from '../../libs/providers/src/testing/fake-slots';

export interface OpenSlots {
  readonly slots: ProviderSlots;
  close(): Promise<void>;
}

export async function openSlots(given: { requestScope: RequestScope; prefix: string }): Promise<OpenSlots> {
  const slots = new FakeSlots(given.requestScope).asSlots() as ProviderSlots;
  return Promise.resolve({ slots, close: () => Promise.resolve() });
}

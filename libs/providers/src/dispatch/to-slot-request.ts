import type { SlotRequest } from '@app/provider-slots';
import type { ConcurrencyLimit } from '../endpoint/concurrency-limit';
import { endpointCapName } from '../endpoint/provider-endpoint';
import type { SlottedCallRequest } from './calls';

/** The slots that a call needs: those of its place, narrower ones first, and the endpoint's last. */
export function toSlotRequest(
  { endpoint, place, work }: SlottedCallRequest,
  { limit, limitSource }: ConcurrencyLimit,
  ticket: string | undefined,
): SlotRequest {
  const { kind, provider, host } = endpoint;
  return {
    placeId: place.placeId,
    group: place.group,
    caps: [
      ...(place.extraCaps ?? []),
      { name: endpointCapName(endpoint), limit, labels: { kind, provider, host, limitSource } },
    ],
    ...(ticket === undefined ? {} : { ticket }),
    ...(work === undefined ? {} : { work }),
    ...(place.wake === undefined ? {} : { wake: place.wake }),
    ...(place.expiresInMs === undefined ? {} : { expiresInMs: place.expiresInMs }),
    ...(place.leaseMs === undefined ? {} : { leaseMs: place.leaseMs }),
  };
}

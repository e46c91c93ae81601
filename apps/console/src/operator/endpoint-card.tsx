import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { api, dataOf, type EndpointState } from '../api/client';
import { Refusal } from '../parts/states';
import { endpointKey, KIND_WORDS } from '../words/queue-verdict';
import { aboutHowLong, howLong } from '../words/time-words';
import { LimitEditor } from './limit-editor';

const SOURCE_WORDS: Readonly<Record<EndpointState['limit_source'], string>> = {
  override: 'an operator, here',
  environment: 'the environment',
  advertised: 'the server itself',
  declared: 'what is usual for the provider',
  none: 'nobody: its refusals are the signal',
};

/** Beyond this many a slot is no longer drawn as one box. */
const MOST_BOXES = 24;

export function EndpointCard({ endpoint }: { readonly endpoint: EndpointState }): ReactNode {
  const { kind, provider, host, limit, in_use: inUse, waiting } = endpoint;
  const whose = `${provider} at ${host}`;
  const test = useMutation({
    mutationFn: () => dataOf(api.POST('/api/admin/ai/test', { body: { kind } })),
  });
  const titleId = `endpoint-${endpointKey(endpoint).replace(/[^a-z0-9]/gi, '-')}`;
  return (
    <article className="card endpoint" aria-labelledby={titleId}>
      <div className="row apart">
        <div>
          <h3 id={titleId}>{KIND_WORDS[kind]}</h3>
          <p className="soft small">
            {provider} · {host}
          </p>
        </div>
        {endpoint.gate && <GateBadge gate={endpoint.gate} />}
      </div>
      <div className="gauge">
        <div className="row apart">
          <span>
            <span className="figure">{inUse ?? '?'}</span>
            <span className="soft"> {limit === null ? 'in use, no limit' : `of ${limit} in use`}</span>
          </span>
          <span>
            <span className="figure">{waiting ?? '?'}</span>
            <span className="soft"> waiting</span>
          </span>
        </div>
        {limit !== null && <Slots limit={limit} inUse={inUse ?? 0} />}
      </div>
      <dl className="facts">
        <dt>Limit</dt>
        <dd>{limit ?? 'none'}</dd>
        <dt>Limit set by</dt>
        <dd>{SOURCE_WORDS[endpoint.limit_source]}</dd>
        <dt>Oldest wait</dt>
        <dd>{endpoint.oldest_wait_seconds === null ? '–' : howLong(endpoint.oldest_wait_seconds)}</dd>
        <dt>Wait for one that joins now</dt>
        <dd>
          {endpoint.estimated_wait_seconds === null
            ? 'no history yet'
            : aboutHowLong(endpoint.estimated_wait_seconds)}
        </dd>
      </dl>
      <LimitEditor
        whose={whose}
        limit={limit}
        inUse={inUse}
        reset={endpoint.limit_source === 'override' ? 'Remove override' : undefined}
        set={(wish) =>
          dataOf(api.PUT('/api/admin/ai/limits', { body: { kind, provider, host, limit: wish } }))
        }
      />
      <div className="stack tight">
        <div className="row">
          <button
            type="button"
            className="button slim"
            disabled={test.isPending}
            onClick={() => test.mutate()}
          >
            {test.isPending ? 'Testing…' : 'Test with one call'}
            <span className="hidden-visually"> to {whose}</span>
          </button>
          <span role="status" className="soft small">
            {test.data &&
              `${test.data.model || test.data.provider} answered in ${(test.data.duration_ms / 1_000).toFixed(1)} s`}
          </span>
        </div>
        {test.error && <Refusal error={test.error} />}
      </div>
    </article>
  );
}

function Slots({ limit, inUse }: { readonly limit: number; readonly inUse: number }): ReactNode {
  if (Math.max(limit, inUse) > MOST_BOXES) {
    return (
      <div className="bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (inUse / limit) * 100)}%` }} />
      </div>
    );
  }
  return (
    <div className="slots" aria-hidden="true">
      {Array.from({ length: Math.max(limit, inUse) }, (_, slot) => (
        <span key={slot} className={slot >= limit ? 'over' : slot < inUse ? 'taken' : ''} />
      ))}
    </div>
  );
}

/** Counts down to the moment when the provider may be asked again. */
function GateBadge({ gate }: { readonly gate: NonNullable<EndpointState['gate']> }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const leftSeconds = Math.max(0, Math.ceil((Date.parse(gate.until) - now) / 1_000));
  return (
    <span className="badge queued number">
      {gate.reason.replaceAll('_', ' ')}: {leftSeconds > 0 ? `pauses ${howLong(leftSeconds)}` : 'reopening'}
    </span>
  );
}

import type { ReactNode } from 'react';
import { ApiAway, ApiProblem } from '../api/api-problem';
import { tryAgainWhen } from '../words/time-words';
import { Icon, type IconName } from './icon';

/** Nothing here yet, and what to do about it. */
export function Empty(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.action && <div className="row">{props.action}</div>}
    </div>
  );
}

export function Loading({ what, lines = 4 }: { readonly what: string; readonly lines?: number }): ReactNode {
  return (
    <div className="skeleton" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** Why something did not work, in words of its own for what people can do something about. */
export function Refusal({
  error,
  again,
}: {
  readonly error: unknown;
  readonly again?: () => void;
}): ReactNode {
  const { title, detail, code, tone } = wordError(error);
  return (
    <div className={`notice ${tone}`} role="alert">
      <strong>{title}</strong>
      <span>{detail}</span>
      {(again || code) && (
        <div className="row">
          {again && (
            <button type="button" className="button slim" onClick={again}>
              <Icon name="again" /> Try again
            </button>
          )}
          {code && (
            <a className="small" href={`/docs/errors/${code}`} target="_blank" rel="noreferrer">
              What does this mean?
            </a>
          )}
        </div>
      )}
    </div>
  );
}

interface ErrorWords {
  readonly title: string;
  readonly detail: string;
  readonly code?: string;
  readonly tone: 'bad' | 'gold';
}

export function wordError(error: unknown): ErrorWords {
  if (error instanceof ApiAway) {
    return {
      title: 'Questline does not answer at the moment.',
      detail: 'Nothing is lost. This page tries again by itself.',
      tone: 'gold',
    };
  }
  if (!(error instanceof ApiProblem)) {
    return { title: 'Something went wrong on this page.', detail: String(error), tone: 'bad' };
  }
  const { code } = error;
  const when = tryAgainWhen(error.retryAfterSeconds);
  switch (code) {
    case 'provider_busy':
      return {
        title: 'Everyone is busy right now.',
        detail:
          error.facts['blocked_by'] === 'gate'
            ? `The model's service asked us to pause. Your request was not sent and cost nothing; try again ${when}.`
            : `The model is at work for queued sessions. Your request was not sent and cost nothing; try again ${when}.`,
        code,
        tone: 'gold',
      };
    case 'provider_rate_limited':
    case 'provider_overloaded':
      return { title: `${error.title}.`, detail: `Try again ${when}.`, code, tone: 'gold' };
    case 'too_many_requests':
      return {
        title: 'A little slower, please.',
        detail: `${error.message}. Try again ${when}.`,
        code,
        tone: 'gold',
      };
    case 'forbidden':
      return {
        title: 'This page is for operators.',
        detail: 'Your key belongs to a team. Sign in with an admin key to see it.',
        code,
        tone: 'gold',
      };
    default:
      return {
        title: `${error.title}.`,
        detail: `${error.message}${error.requestId && error.status >= 500 ? ` (request ${error.requestId})` : ''}`,
        code,
        tone: error.status >= 500 ? 'bad' : 'gold',
      };
  }
}

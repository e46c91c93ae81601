import type { ReactNode } from 'react';
import type { Session } from '../api/client';
import { Icon } from '../parts/icon';
import { howLong, whenItWas } from '../words/time-words';

type StepState = 'done' | 'current' | 'waiting' | 'upcoming' | 'failed';

interface Step {
  readonly name: string;
  readonly state: StepState;
  readonly detail?: string;
}

const STATE_WORDS: Readonly<Record<StepState, string>> = {
  done: 'done',
  current: 'running now',
  waiting: 'waits for its turn',
  upcoming: 'still to come',
  failed: 'ended here',
};

/** From recording to recap, and where the session is on that way. */
export function Phases({
  session,
  hasTranscript,
}: {
  readonly session: Session;
  readonly hasTranscript: boolean;
}): ReactNode {
  return (
    <ol className="phases">
      {stepsOf(session, hasTranscript).map(({ name, state, detail }) => (
        <li
          key={name}
          className={state}
          aria-current={state === 'current' || state === 'waiting' ? 'step' : undefined}
        >
          <span className="dot">
            {state === 'done' && <Icon name="check" />}
            {state === 'failed' && <Icon name="cross" />}
          </span>
          <div>
            <strong>{name}</strong>
            <div className="soft small">{detail ?? STATE_WORDS[state]}</div>
          </div>
        </li>
      ))}
    </ol>
  );
}

function stepsOf(session: Session, hasTranscript: boolean): Step[] {
  const {
    status,
    processing_wait: wait,
    created_at: createdAt,
    started_at: startedAt,
    finished_at: finishedAt,
  } = session;
  const uploaded: Step = { name: 'Uploaded', state: 'done', detail: whenItWas(createdAt) };
  const took =
    startedAt && finishedAt
      ? `took ${howLong((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)}`
      : undefined;
  const transcript = (state: StepState): Step => ({ name: 'Transcript', state });
  const recap = (state: StepState, detail?: string): Step => ({ name: 'Recap', state, detail });
  switch (status) {
    case 'queued':
      return [uploaded, transcript('waiting'), recap('upcoming')];
    case 'transcribing':
      return [uploaded, transcript('current'), recap('upcoming')];
    case 'summarising':
      return [uploaded, transcript('done'), recap(wait ? 'waiting' : 'current')];
    case 'completed':
      return [uploaded, transcript('done'), recap('done', took && `${took} from the first call`)];
    case 'failed':
    case 'cancelled': {
      const ended = status === 'failed' ? 'failed here' : 'cancelled here';
      return hasTranscript
        ? [uploaded, transcript('done'), recap('failed', ended)]
        : [uploaded, { ...transcript('failed'), detail: ended }, recap('upcoming', 'not reached')];
    }
  }
}

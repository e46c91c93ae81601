import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog';
import { say } from '../parts/toasts';
import { count } from '../words/time-words';

const LARGEST = 100_000;

/** Changes one limit in place: a number, a question whether it is meant, and the new limit in force. */
export function LimitEditor(props: {
  /** Whose limit: "WhisperX at gpu:9000". */
  readonly whose: string;
  readonly limit: number | null;
  readonly inUse: number | null;
  /** Name of the way back to what the configuration says; absent where nothing was changed. */
  readonly reset?: string;
  readonly set: (limit: number | null) => Promise<{ readonly limit: number | null }>;
}): ReactNode {
  const { whose, limit, inUse } = props;
  const id = useId();
  const queries = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const [value, setValue] = useState('');
  const [asked, setAsked] = useState<number | null>();
  const change = useMutation({
    mutationFn: props.set,
    onSuccess: (inForce) => {
      void queries.invalidateQueries({ queryKey: ['queue'] });
      say(`${whose}: ${inForce.limit === null ? 'no limit' : `limit ${inForce.limit}`}, in force now.`);
      setAsked(undefined);
      setIsEditing(false);
    },
  });

  const wish = Number(value);
  const isValid = /^\d+$/.test(value.trim()) && wish >= 1 && wish <= LARGEST;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid) setAsked(wish);
  };
  const close = () => {
    change.reset();
    setAsked(undefined);
  };

  return (
    <>
      {isEditing ? (
        <form className="row" onSubmit={submit}>
          <label className="small" htmlFor={id}>
            New limit<span className="hidden-visually"> of {whose}</span>
          </label>
          <input
            id={id}
            className="input short"
            inputMode="numeric"
            autoFocus
            value={value}
            aria-invalid={value !== '' && !isValid}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setValue(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && setIsEditing(false)}
          />
          <button type="submit" className="button slim primary" disabled={!isValid || wish === limit}>
            Set
          </button>
          <button type="button" className="button slim quiet" onClick={() => setIsEditing(false)}>
            Leave it
          </button>
          <span id={`${id}-hint`} className="soft small">
            A whole number from 1
          </span>
        </form>
      ) : (
        <div className="row">
          <button
            type="button"
            className="button slim"
            onClick={() => {
              setValue(limit === null ? '' : String(limit));
              setIsEditing(true);
            }}
          >
            Change limit<span className="hidden-visually"> of {whose}</span>
          </button>
          {props.reset && (
            <button type="button" className="button slim quiet" onClick={() => setAsked(null)}>
              {props.reset}
              <span className="hidden-visually"> of {whose}</span>
            </button>
          )}
        </div>
      )}
      <ConfirmDialog
        open={asked !== undefined}
        title={asked === null ? `Undo the change of ${whose}?` : `Set the limit of ${whose} to ${asked}?`}
        confirm={asked === null ? (props.reset ?? '') : `Set to ${asked}`}
        pending={change.isPending}
        error={change.error}
        onConfirm={() => asked !== undefined && change.mutate(asked)}
        onClose={close}
      >
        {wordConsequence(asked, limit, inUse)}
      </ConfirmDialog>
    </>
  );
}

function wordConsequence(
  asked: number | null | undefined,
  limit: number | null,
  inUse: number | null,
): string {
  if (asked === null || asked === undefined) {
    return 'The limit from the configuration or the server holds again, at once and in every process.';
  }
  if (limit !== null && asked > limit) {
    return `From ${limit} to ${asked}: ${count(asked - limit, 'more call')} may start at once. Make sure that the server can carry them.`;
  }
  const over = (inUse ?? 0) - asked;
  return `${limit === null ? 'There was no limit' : `From ${limit} to ${asked}`}: nothing that runs is stopped${over > 0 ? `; ${count(over, 'running call')} will end first` : ''}.`;
}

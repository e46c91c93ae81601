import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Refusal } from './states';

/** One name to type: for a new thing, or a new name of an old one. */
export function NameForm(props: {
  readonly label: string;
  readonly hint?: string;
  readonly initial?: string;
  readonly longest: number;
  readonly submit: string;
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (name: string) => void;
  readonly onCancel?: () => void;
}): ReactNode {
  const [name, setName] = useState(props.initial ?? '');
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) props.onSubmit(name.trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{props.label}</label>
        <input
          id={id}
          className="input"
          value={name}
          maxLength={props.longest}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.target.value)}
        />
        {props.hint && <span className="hint">{props.hint}</span>}
      </div>
      {props.error != null && <Refusal error={props.error} />}
      <div className="row">
        {props.onCancel && (
          <button type="button" className="button" onClick={props.onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" className="button primary" disabled={props.pending || !name.trim()}>
          {props.submit}
        </button>
      </div>
    </form>
  );
}

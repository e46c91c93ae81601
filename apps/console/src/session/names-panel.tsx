import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client';
import { Refusal } from '../parts/states';

const MOST = 20;

/** Names that fit: to the session's transcript, or to a campaign as a whole. */
export function NamesPanel({
  of,
  id,
}: {
  readonly of: 'session' | 'campaign';
  readonly id: string;
}): ReactNode {
  const [what, setWhat] = useState('');
  const [howMany, setHowMany] = useState(5);
  const invent = useMutation({
    mutationFn: () => {
      const wish = { params: { path: { id } }, body: { what: what.trim(), count: howMany } };
      return dataOf(
        of === 'session'
          ? api.POST('/api/sessions/{id}/names', wish)
          : api.POST('/api/campaigns/{id}/names', wish),
      );
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (what.trim()) invent.mutate();
  };
  return (
    <section className="card stack" aria-labelledby="names">
      <div className="stack tight">
        <h2 id="names">Names</h2>
        <p className="soft small">For the innkeeper nobody prepared. They fit this {of}.</p>
      </div>
      <form className="stack" onSubmit={submit}>
        <div className="field">
          <label htmlFor="names-what">Names for</label>
          <input
            id="names-what"
            className="input"
            maxLength={80}
            placeholder="dwarven smiths"
            value={what}
            onChange={(event) => setWhat(event.target.value)}
          />
        </div>
        <div className="row apart">
          <div className="row">
            <label className="small" htmlFor="names-count">
              How many
            </label>
            <input
              id="names-count"
              className="input short"
              type="number"
              min={1}
              max={MOST}
              value={howMany}
              onChange={(event) =>
                setHowMany(Math.min(MOST, Math.max(1, Math.floor(Number(event.target.value)) || 1)))
              }
            />
          </div>
          <button type="submit" className="button primary" disabled={invent.isPending || !what.trim()}>
            {invent.isPending ? 'Inventing…' : 'Invent'}
          </button>
        </div>
      </form>
      {invent.error && <Refusal error={invent.error} />}
      <div aria-live="polite">
        {invent.data && (
          <ul className="chips" aria-label="Names">
            {invent.data.names.map((name, index) => (
              <li key={`${name}-${index}`}>{name}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

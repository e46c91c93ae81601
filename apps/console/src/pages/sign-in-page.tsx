import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { ApiAway, problemOfAnswer } from '../api/api-problem';
import { Mark } from '../parts/icon';
import { Refusal } from '../parts/states';
import { readFarewell, signIn } from '../session-key';

/** Asks for a key and tries it before it is kept. */
export function SignInPage(): ReactNode {
  const [key, setKey] = useState('');
  const [pending, setPending] = useState(false);
  const [wrong, setWrong] = useState(false);
  const [error, setError] = useState<unknown>();
  const farewell = readFarewell();
  useEffect(() => {
    document.title = 'Sign in · Questline';
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const candidate = key.trim();
    setPending(true);
    setWrong(false);
    setError(undefined);
    try {
      if (await isAccepted(candidate)) signIn(candidate);
      else setWrong(true);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };

  return (
    <main className="signin">
      <div className="card">
        <div className="brand">
          <Mark /> Questline
        </div>
        <div className="stack tight">
          <h1>Sign in</h1>
          <p className="soft">Your recordings, as transcripts and recaps.</p>
        </div>
        {farewell && !wrong && (
          <p className="notice gold" role="status">
            {farewell}
          </p>
        )}
        <form className="stack" onSubmit={(event) => void submit(event)}>
          <div className="field">
            <label htmlFor="api-key">API key</label>
            <input
              id="api-key"
              className="input"
              type="password"
              value={key}
              autoComplete="off"
              spellCheck={false}
              aria-invalid={wrong}
              aria-describedby={wrong ? 'api-key-wrong' : 'api-key-hint'}
              onChange={(event) => setKey(event.target.value)}
            />
            {wrong ? (
              <span className="wrong" id="api-key-wrong" role="alert">
                This key is not known here. Check that it was copied whole.
              </span>
            ) : (
              <span className="hint" id="api-key-hint">
                An operator hands it out. It stays in this tab and is forgotten when you close it.
              </span>
            )}
          </div>
          {error !== undefined && <Refusal error={error} />}
          <button type="submit" className="button primary" disabled={pending || !key.trim()}>
            {pending ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
      </div>
    </main>
  );
}

/** @throws ApiProblem, ApiAway when the answer is neither yes nor no */
async function isAccepted(key: string): Promise<boolean> {
  // A header takes Latin letters alone; no key of ours has any other.
  if (!/^[\x21-\x7e]+$/.test(key)) return false;
  const response = await fetch('/api/campaigns?limit=1', {
    headers: { Authorization: `Bearer ${key}` },
  }).catch((cause: unknown) => {
    throw new ApiAway({ cause });
  });
  if (response.ok) return true;
  if (response.status === 401) return false;
  throw problemOfAnswer(response, await response.json().catch(() => undefined));
}

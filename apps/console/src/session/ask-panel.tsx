import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client';
import { Refusal } from '../parts/states';

interface Exchange {
  readonly question: string;
  readonly answer: string;
  readonly model: string;
}

/** Questions about one session; each is answered at once, or refused at once while the model is busy. */
export function AskPanel({ sessionId }: { readonly sessionId: string }): ReactNode {
  const [question, setQuestion] = useState('');
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const ask = useMutation({
    mutationFn: (asked: string) =>
      dataOf(
        api.POST('/api/sessions/{id}/ask', {
          params: { path: { id: sessionId } },
          body: { question: asked },
        }),
      ),
    onSuccess: ({ answer, model }, asked) => {
      setExchanges((before) => [{ question: asked, answer, model }, ...before]);
      setQuestion('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (question.trim()) ask.mutate(question.trim());
  };
  return (
    <section className="card stack" aria-labelledby="ask">
      <h2 id="ask">Ask about this session</h2>
      <form className="stack" onSubmit={submit}>
        <div className="field">
          <label htmlFor="question">Your question</label>
          <textarea
            id="question"
            className="input"
            rows={3}
            maxLength={2_000}
            placeholder="Who holds the crown now?"
            value={question}
            onChange={(event) => setQuestion(event.target.value)}
          />
        </div>
        <div className="row">
          <button type="submit" className="button primary" disabled={ask.isPending || !question.trim()}>
            {ask.isPending ? 'Thinking…' : 'Ask'}
          </button>
        </div>
      </form>
      {ask.error && <Refusal error={ask.error} />}
      <div aria-live="polite" className="stack">
        {exchanges.map(({ question: asked, answer, model }, index) => (
          <div key={exchanges.length - index} className="exchange">
            <p className="question">{asked}</p>
            <p className="answer">{answer}</p>
            <p className="soft small">{model}</p>
          </div>
        ))}
      </div>
    </section>
  );
}

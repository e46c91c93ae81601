import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf, type Session } from '../api/client';
import { ConfirmDialog } from '../parts/confirm-dialog';
import { FormDialog } from '../parts/form-dialog';
import { Icon } from '../parts/icon';
import { NameForm } from '../parts/name-form';
import { say } from '../parts/toasts';
import { isUnfinished } from '../words/status-words';

type Question = 'rename' | 'cancel' | 'delete' | 'again';

/** What can be done with a session in its present state. */
export function SessionActions({
  session,
  title,
}: {
  readonly session: Session;
  readonly title: string;
}): ReactNode {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [question, setQuestion] = useState<Question>();
  const params = { path: { id: session.id } };
  const close = () => setQuestion(undefined);
  const take = (after: Session) => {
    queries.setQueryData(['sessions', session.id], after);
    void queries.invalidateQueries({ queryKey: ['sessions', 'list'] });
    close();
  };

  const rename = useMutation({
    mutationFn: (name: string) => dataOf(api.PATCH('/api/sessions/{id}', { params, body: { title: name } })),
    onSuccess: take,
  });
  const retry = useMutation({
    mutationFn: () => dataOf(api.POST('/api/sessions/{id}/retry', { params })),
    onSuccess: (after) => {
      take(after);
      say('It runs again.');
    },
  });
  const cancel = useMutation({
    mutationFn: () => dataOf(api.POST('/api/sessions/{id}/cancel', { params })),
    onSuccess: (after) => {
      take(after);
      say('Cancelled. Its place in the queue is free.');
    },
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/sessions/{id}', { params })),
    onSuccess: () => {
      say('The session is deleted.');
      void queries.invalidateQueries({ queryKey: ['sessions', 'list'] });
      go(`/campaigns/${session.campaign_id}`);
    },
  });

  const unfinished = isUnfinished(session.status);
  return (
    <div className="row">
      {unfinished && (
        <button type="button" className="button slim" onClick={() => setQuestion('cancel')}>
          Cancel
        </button>
      )}
      {!unfinished && (
        <button
          type="button"
          className={`button slim ${session.status === 'completed' ? '' : 'primary'}`}
          onClick={() => (session.status === 'completed' ? setQuestion('again') : retry.mutate())}
          disabled={retry.isPending}
        >
          <Icon name="again" /> Run again
        </button>
      )}
      <button type="button" className="button slim" onClick={() => setQuestion('rename')}>
        <Icon name="pencil" /> Rename
      </button>
      <button type="button" className="button slim quiet" onClick={() => setQuestion('delete')}>
        Delete
      </button>

      <FormDialog open={question === 'rename'} title="Rename the session" onClose={close}>
        <NameForm
          label="Title"
          initial={session.title ?? ''}
          longest={200}
          submit="Save"
          pending={rename.isPending}
          error={rename.error}
          onSubmit={rename.mutate}
          onCancel={close}
        />
      </FormDialog>
      <ConfirmDialog
        open={question === 'cancel'}
        title={`Cancel “${title}”?`}
        confirm="Cancel the session"
        danger
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
        onClose={close}
      >
        A call that runs is stopped, and its place in the queue goes to the next. The recording stays: you can
        run it again later.
      </ConfirmDialog>
      <ConfirmDialog
        open={question === 'again'}
        title={`Run “${title}” again?`}
        confirm="Run again"
        pending={retry.isPending}
        error={retry.error}
        onConfirm={() => retry.mutate()}
        onClose={close}
      >
        It starts from the recording, waits for its turn, and is charged as a new run.
      </ConfirmDialog>
      <ConfirmDialog
        open={question === 'delete'}
        title={`Delete “${title}”?`}
        confirm="Delete the session"
        danger
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        The recording, its transcript and its recap are gone for good. What it consumed stays in the ledger.
      </ConfirmDialog>
    </div>
  );
}

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client';
import { NameForm } from '../parts/name-form';
import { say } from '../parts/toasts';

/** Issues a key and shows it this once. */
export function NewKey(props: {
  readonly teamId: string;
  readonly onIssued: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  const issue = useMutation({
    mutationFn: (name: string) =>
      dataOf(
        api.POST('/api/admin/teams/{id}/keys', { params: { path: { id: props.teamId } }, body: { name } }),
      ),
    onSuccess: props.onIssued,
    // Not kept for longer than the dialog shows it.
    gcTime: 0,
  });
  if (!issue.data) {
    return (
      <NameForm
        label="What it is for"
        hint="A name by which you will know it again: a person, or a machine."
        longest={100}
        submit="Issue the key"
        pending={issue.isPending}
        error={issue.error}
        onSubmit={issue.mutate}
        onCancel={props.onClose}
      />
    );
  }
  const { key } = issue.data;
  const copy = () =>
    navigator.clipboard.writeText(key).then(
      () => {
        setIsCopied(true);
        say('The key is copied.');
      },
      () => say('Copying is not allowed here: mark the key and copy it by hand.'),
    );
  return (
    <div className="stack">
      <p>This is the only time the key is shown. Hand it over, or keep it in a safe place.</p>
      <p className="key-once" data-testid="new-key">
        {key}
      </p>
      <div className="row">
        <button type="button" className="button" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="button primary" onClick={props.onClose}>
          Done
        </button>
      </div>
    </div>
  );
}

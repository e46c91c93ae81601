import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { keysQuery, teamsQuery } from '../api/queries';
import { ConfirmDialog } from '../parts/confirm-dialog';
import { FormDialog } from '../parts/form-dialog';
import { NameForm } from '../parts/name-form';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { say } from '../parts/toasts';
import { whenItWas } from '../words/time-words';
import { NewKey } from './new-key';

type Team = Schemas['TeamDto'];
type Key = Schemas['KeyDto'];

/** Who shares this installation, and with which keys. */
export function TeamsPage(): ReactNode {
  const teams = useQuery(teamsQuery);
  const queries = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const close = () => setIsAdding(false);
  const create = useMutation({
    mutationFn: (name: string) => dataOf(api.POST('/api/admin/teams', { body: { name } })),
    onSuccess: ({ name }) => {
      say(`Team “${name}” is there. Give it a key next.`);
      void queries.invalidateQueries({ queryKey: teamsQuery.queryKey });
      close();
    },
  });
  return (
    <Page
      title="Teams and keys"
      lead="A team sees its own campaigns, sessions and usage, and nothing of anyone else’s."
      heading={
        <button type="button" className="button primary" onClick={() => setIsAdding(true)}>
          New team
        </button>
      }
    >
      {teams.isPending && !teams.error && <Loading what="the teams" />}
      {teams.error && !teams.data && <Refusal error={teams.error} again={() => void teams.refetch()} />}
      {teams.data?.items.length === 0 && (
        <div className="card">
          <Empty icon="people" title="No teams yet">
            Make one for each group of people who work together.
          </Empty>
        </div>
      )}
      <div className="stack wide">
        {teams.data?.items.map((team) => (
          <TeamCard key={team.id} team={team} />
        ))}
      </div>
      <FormDialog open={isAdding} title="New team" onClose={close}>
        <NameForm
          label="Name"
          longest={100}
          submit="Create"
          pending={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onCancel={close}
        />
      </FormDialog>
    </Page>
  );
}

function TeamCard({ team }: { readonly team: Team }): ReactNode {
  const keys = useQuery(keysQuery(team.id));
  const queries = useQueryClient();
  const [isIssuing, setIsIssuing] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  const refresh = () => void queries.invalidateQueries({ queryKey: keysQuery(team.id).queryKey });
  const revoke = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE('/api/admin/keys/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      say('The key no longer opens anything.');
      setRevoking(undefined);
      refresh();
    },
  });
  return (
    <section className="card" aria-labelledby={`team-${team.id}`}>
      <div className="card-head">
        <div>
          <h2 id={`team-${team.id}`}>{team.name}</h2>
          <p className="soft small">Created {whenItWas(team.created_at)}</p>
        </div>
        <button type="button" className="button slim" onClick={() => setIsIssuing(true)}>
          New key<span className="hidden-visually"> for {team.name}</span>
        </button>
      </div>
      {keys.isPending && !keys.error && <Loading what="the keys" lines={2} />}
      {keys.error && <Refusal error={keys.error} again={() => void keys.refetch()} />}
      {keys.data?.items.length === 0 && (
        <p className="soft">No keys: nobody can sign in for this team yet.</p>
      )}
      {keys.data && keys.data.items.length > 0 && (
        <ul className="keys" aria-label={`Keys of ${team.name}`}>
          {keys.data.items.map((key) => (
            <li key={key.id}>
              <strong>{key.name}</strong>
              <span className="soft small">
                begins with <code>{key.prefix}</code> · issued {whenItWas(key.created_at)}
              </span>
              <button type="button" className="button slim quiet" onClick={() => setRevoking(key)}>
                Revoke<span className="hidden-visually"> {key.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <FormDialog open={isIssuing} title={`New key for ${team.name}`} onClose={() => setIsIssuing(false)}>
        <NewKey teamId={team.id} onIssued={refresh} onClose={() => setIsIssuing(false)} />
      </FormDialog>
      <ConfirmDialog
        open={revoking !== undefined}
        title={`Revoke “${revoking?.name ?? ''}”?`}
        confirm="Revoke the key"
        danger
        pending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoking && revoke.mutate(revoking.id)}
        onClose={() => setRevoking(undefined)}
      >
        Whoever uses it is signed out at once. Sessions that run are not touched.
      </ConfirmDialog>
    </section>
  );
}

import { useMutation, usePrefetchInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, dataOf } from '../api/client';
import { campaignsQuery, sessionsQuery } from '../api/queries';
import { FormDialog } from '../parts/form-dialog';
import { NameForm } from '../parts/name-form';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { whenItWas } from '../words/time-words';
import { SessionList } from './session-list';

export function HomePage(): ReactNode {
  usePrefetchInfiniteQuery(sessionsQuery());
  const campaigns = useQuery(campaignsQuery);
  const [isAdding, setIsAdding] = useState(false);
  const items = campaigns.data?.items ?? [];
  const names = new Map(items.map(({ id, name }) => [id, name]));
  const add = (
    <button type="button" className="button primary" onClick={() => setIsAdding(true)}>
      New campaign
    </button>
  );
  return (
    <Page title="Campaigns" heading={items.length > 0 ? add : undefined}>
      <div className="stack wide">
        {campaigns.isPending && !campaigns.error && (
          <div className="card">
            <Loading what="the campaigns" />
          </div>
        )}
        {campaigns.error && !campaigns.data && (
          <Refusal error={campaigns.error} again={() => void campaigns.refetch()} />
        )}
        {campaigns.data && items.length === 0 && (
          <div className="card">
            <Empty icon="book" title="No campaigns yet" action={add}>
              A campaign holds the recordings of one table. Make the first one, then drop last night’s
              recording into it.
            </Empty>
          </div>
        )}
        {items.length > 0 && (
          <>
            <ul className="shelf">
              {items.map(({ id, name, created_at: createdAt }) => (
                <li key={id}>
                  <Link href={`/campaigns/${id}`} className="tome">
                    <strong>{name}</strong>
                    <span className="soft small">Begun {whenItWas(createdAt)}</span>
                  </Link>
                </li>
              ))}
            </ul>
            <section className="card" aria-labelledby="recent">
              <h2 id="recent">Recent sessions</h2>
              <SessionList
                campaignNames={names}
                empty={
                  <Empty icon="wave" title="No sessions yet">
                    Open a campaign and drop a recording into it. Its transcript and recap appear here.
                  </Empty>
                }
              />
            </section>
          </>
        )}
      </div>
      <FormDialog open={isAdding} title="New campaign" onClose={() => setIsAdding(false)}>
        <NewCampaign onClose={() => setIsAdding(false)} />
      </FormDialog>
    </Page>
  );
}

function NewCampaign({ onClose }: { readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const create = useMutation({
    mutationFn: (name: string) => dataOf(api.POST('/api/campaigns', { body: { name } })),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: campaignsQuery.queryKey });
      onClose();
      go(`/campaigns/${id}`);
    },
  });
  return (
    <NameForm
      label="Name"
      hint="What you call it at the table."
      longest={200}
      submit="Create"
      pending={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
      onCancel={onClose}
    />
  );
}

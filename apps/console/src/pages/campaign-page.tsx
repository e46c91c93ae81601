import { useMutation, usePrefetchInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiProblem } from '../api/api-problem';
import { api, dataOf } from '../api/client';
import { campaignQuery, campaignsQuery, sessionsQuery } from '../api/queries';
import { ConfirmDialog } from '../parts/confirm-dialog';
import { FormDialog } from '../parts/form-dialog';
import { Icon } from '../parts/icon';
import { NameForm } from '../parts/name-form';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';
import { say } from '../parts/toasts';
import { NamesPanel } from '../session/names-panel';
import { UploadPanel } from '../uploads/upload-panel';
import { NotFoundPage } from './not-found-page';
import { SessionList } from './session-list';

export function CampaignPage({ id }: { readonly id: string }): ReactNode {
  // Beside the campaign, not after it: the list is what one came for.
  usePrefetchInfiniteQuery(sessionsQuery(id));
  const campaign = useQuery(campaignQuery(id));
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const params = { path: { id } };
  const close = () => setAsking(undefined);

  const rename = useMutation({
    mutationFn: (name: string) => dataOf(api.PATCH('/api/campaigns/{id}', { params, body: { name } })),
    onSuccess: (renamed) => {
      queries.setQueryData(campaignQuery(id).queryKey, renamed);
      void queries.invalidateQueries({ queryKey: campaignsQuery.queryKey });
      close();
    },
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/campaigns/{id}', { params })),
    onSuccess: () => {
      say('The campaign is deleted.');
      void queries.invalidateQueries({ queryKey: campaignsQuery.queryKey });
      go('/');
    },
  });

  if (campaign.error instanceof ApiProblem && campaign.error.status === 404)
    return <NotFoundPage what="campaign" />;
  const name = campaign.data?.name ?? 'Campaign';
  return (
    <Page
      title={name}
      crumbs={
        <>
          <li>
            <Link href="/">Campaigns</Link>
          </li>
          <li aria-current="page">{name}</li>
        </>
      }
      heading={
        campaign.data && (
          <span className="row">
            <button type="button" className="button slim" onClick={() => setAsking('rename')}>
              <Icon name="pencil" /> Rename
            </button>
            <button type="button" className="button slim quiet" onClick={() => setAsking('delete')}>
              Delete
            </button>
          </span>
        )
      }
    >
      {campaign.error && !campaign.data && (
        <Refusal error={campaign.error} again={() => void campaign.refetch()} />
      )}
      {campaign.isPending && !campaign.error && <Loading what="the campaign" />}
      {campaign.data && (
        <div className="columns">
          <div className="stack wide">
            <UploadPanel campaignId={id} />
            <section className="card" aria-labelledby="sessions">
              <h2 id="sessions">Sessions</h2>
              <SessionList
                campaignId={id}
                empty={
                  <Empty icon="wave" title="No sessions yet">
                    Drop a recording above. While it waits for its turn, its page says how many are ahead.
                  </Empty>
                }
              />
            </section>
          </div>
          <div className="stack wide">
            <NamesPanel of="campaign" id={id} />
          </div>
        </div>
      )}
      <FormDialog open={asking === 'rename'} title="Rename the campaign" onClose={close}>
        <NameForm
          label="Name"
          initial={name}
          longest={200}
          submit="Save"
          pending={rename.isPending}
          error={rename.error}
          onSubmit={rename.mutate}
          onCancel={close}
        />
      </FormDialog>
      <ConfirmDialog
        open={asking === 'delete'}
        title={`Delete “${name}”?`}
        confirm="Delete the campaign"
        danger
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        Only an empty campaign can be deleted: its sessions go first, one by one.
      </ConfirmDialog>
    </Page>
  );
}

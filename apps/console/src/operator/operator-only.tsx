import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { roleQuery } from '../api/queries';
import { Page } from '../parts/page';
import { Empty, Loading, Refusal } from '../parts/states';

/** Shows what an operator may see; the API guards the data itself, this only saves a member from empty pages. */
export function OperatorOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const role = useQuery(roleQuery);
  if (role.data === 'admin') return children;
  if (role.data === 'member') {
    return (
      <Page title="For operators">
        <div className="card">
          <Empty
            icon="gauge"
            title="This page is for operators"
            action={
              <Link href="/" className="button primary">
                To the campaigns
              </Link>
            }
          >
            Your key belongs to a team. To see the queue, limits and teams, sign in with an admin key.
          </Empty>
        </div>
      </Page>
    );
  }
  return (
    <Page title="One moment">
      {role.error ? (
        <Refusal error={role.error} again={() => void role.refetch()} />
      ) : (
        <Loading what="your role" />
      )}
    </Page>
  );
}

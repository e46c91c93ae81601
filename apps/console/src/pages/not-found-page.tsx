import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from '../parts/states';
import { Page } from '../parts/page';

export function NotFoundPage({ what = 'page' }: { readonly what?: string }): ReactNode {
  return (
    <Page title="Not found">
      <div className="card">
        <Empty
          icon="scroll"
          title={`There is no such ${what}`}
          action={
            <Link href="/" className="button primary">
              To the campaigns
            </Link>
          }
        >
          It may have been deleted, or it belongs to another team.
        </Empty>
      </div>
    </Page>
  );
}

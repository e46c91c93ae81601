import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { Route, Switch } from 'wouter';
import { queryClient } from './api/queries';
import { AwayBanner } from './parts/away-banner';
import { Masthead } from './parts/masthead';
import { Page } from './parts/page';
import { Loading } from './parts/states';
import { Toasts } from './parts/toasts';
import { OperatorOnly } from './operator/operator-only';
import { CampaignPage } from './pages/campaign-page';
import { HomePage } from './pages/home-page';
import { NotFoundPage } from './pages/not-found-page';
import { SignInPage } from './pages/sign-in-page';
import { TeamUsagePage } from './pages/team-usage-page';
import { SessionPage } from './session/session-page';
import { onKeyChange, readKey } from './session-key';

/** Loaded when an operator looks: a game master needs no charts. */
const QueuePage = lazy(async () => ({ default: (await import('./operator/queue-page')).QueuePage }));
const TeamsPage = lazy(async () => ({ default: (await import('./operator/teams-page')).TeamsPage }));
const OperatorUsagePage = lazy(async () => ({
  default: (await import('./operator/usage-page')).OperatorUsagePage,
}));

export function App(): ReactNode {
  const key = useSyncExternalStore(onKeyChange, readKey);
  // What one key could see is not the next one's to see.
  useEffect(() => () => queryClient.clear(), [key]);
  return (
    <QueryClientProvider client={queryClient}>
      {key ? <SignedIn key={key} /> : <SignInPage />}
      <Toasts />
    </QueryClientProvider>
  );
}

function SignedIn(): ReactNode {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Masthead />
      <AwayBanner />
      <Suspense
        fallback={
          <Page title="One moment">
            <Loading what="the page" />
          </Page>
        }
      >
        <Switch>
          <Route path="/">
            <HomePage />
          </Route>
          <Route path="/campaigns/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
          <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
          <Route path="/usage">
            <TeamUsagePage />
          </Route>
          <Route path="/operator">
            <OperatorOnly>
              <QueuePage />
            </OperatorOnly>
          </Route>
          <Route path="/operator/usage">
            <OperatorOnly>
              <OperatorUsagePage />
            </OperatorOnly>
          </Route>
          <Route path="/operator/teams">
            <OperatorOnly>
              <TeamsPage />
            </OperatorOnly>
          </Route>
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </>
  );
}

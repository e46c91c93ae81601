import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { roleQuery } from '../api/queries';
import { signOut } from '../session-key';
import { Icon, type IconName, Mark } from './icon';
import { chooseTheme, useTheme } from './use-theme';

interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  readonly isHere: (path: string) => boolean;
}

const CAMPAIGNS: Place = {
  href: '/',
  name: 'Campaigns',
  icon: 'book',
  isHere: (path) => path === '/' || path.startsWith('/campaigns') || path.startsWith('/sessions'),
};
const MEMBER_PLACES: readonly Place[] = [
  CAMPAIGNS,
  { href: '/usage', name: 'Usage', icon: 'bars', isHere: (path) => path === '/usage' },
];
const OPERATOR_PLACES: readonly Place[] = [
  CAMPAIGNS,
  { href: '/operator', name: 'Queue', icon: 'gauge', isHere: (path) => path === '/operator' },
  { href: '/operator/usage', name: 'Usage', icon: 'bars', isHere: (path) => path === '/operator/usage' },
  { href: '/operator/teams', name: 'Teams', icon: 'people', isHere: (path) => path === '/operator/teams' },
];

export function Masthead(): ReactNode {
  const { data: role } = useQuery(roleQuery);
  const [path] = useLocation();
  const theme = useTheme();
  const places = role === 'admin' ? OPERATOR_PLACES : MEMBER_PLACES;
  return (
    <header className="masthead">
      <div className="masthead-inner">
        <Link href="/" className="brand">
          <Mark /> Questline
        </Link>
        <nav className="mainnav" aria-label="Main">
          {places.map(({ href, name, icon, isHere }) => (
            <Link key={href} href={href} aria-current={isHere(path) ? 'page' : undefined}>
              <Icon name={icon} /> {name}
            </Link>
          ))}
        </nav>
        <div className="row">
          <button
            type="button"
            className="button quiet slim"
            onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
            aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
          >
            <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
          </button>
          <button type="button" className="button quiet slim" onClick={() => signOut()}>
            <Icon name="leave" /> Sign out
          </button>
        </div>
      </div>
    </header>
  );
}

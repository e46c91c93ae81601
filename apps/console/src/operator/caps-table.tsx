import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type CapState, dataOf } from '../api/client';
import { teamsQuery } from '../api/queries';
import { LimitEditor } from './limit-editor';

/** Caps of generations: the fleet as a whole, and each team by itself. */
export function CapsTable({ caps }: { readonly caps: readonly CapState[] }): ReactNode {
  const teams = useQuery(teamsQuery);
  const nameOf = (teamId: string) => teams.data?.items.find(({ id }) => id === teamId)?.name ?? teamId;
  return (
    <section className="card" aria-labelledby="caps">
      <h2 id="caps">Caps of fleet and teams</h2>
      {caps.length === 0 ? (
        <p className="soft">
          Generations share a cap of the whole fleet, and each team has one of its own. They show up here with
          the first generation.
        </p>
      ) : (
        <div className="table-frame" tabIndex={0} role="group" aria-labelledby="caps">
          <table className="table figures" role="table">
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">
                  Cap
                </th>
                <th scope="col" role="columnheader" className="right">
                  In use
                </th>
                <th scope="col" role="columnheader" className="right">
                  Limit
                </th>
                <th scope="col" role="columnheader" className="right">
                  Waiting
                </th>
                <th scope="col" role="columnheader">
                  <span className="hidden-visually">Change</span>
                </th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {caps.map(({ name, team_id: teamId, limit, in_use: inUse, waiting }) => {
                const whose = teamId === null ? 'the whole fleet' : `team ${nameOf(teamId)}`;
                return (
                  <tr key={name} role="row">
                    <th scope="row" role="rowheader">
                      {teamId === null ? 'Whole fleet' : nameOf(teamId)}
                    </th>
                    <td role="cell" className="right">
                      {inUse ?? '?'}
                    </td>
                    <td role="cell" className="right">
                      {limit ?? 'none'}
                    </td>
                    <td role="cell" className="right">
                      {waiting ?? '?'}
                    </td>
                    <td role="cell">
                      <LimitEditor
                        whose={whose}
                        limit={limit}
                        inUse={inUse}
                        reset="Back to the default"
                        set={(wish) => setCap(teamId, wish)}
                      />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The fleet's cap, or one team's own. @throws ApiProblem, ApiAway */
async function setCap(teamId: string | null, limit: number | null): Promise<{ limit: number }> {
  const body =
    teamId === null ? { generation_fleet_limit: limit } : { generation_team_limit: limit, team_id: teamId };
  const inForce = await dataOf(api.PUT('/api/admin/caps', { body }));
  return { limit: teamId === null ? inForce.generation_fleet_limit : inForce.generation_team_limit };
}

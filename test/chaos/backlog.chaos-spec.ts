import { drainBacklog } from '../support/backlog';

it('a backlog of five hundred sessions on a cap of one fails nobody', async () => {
  await drainBacklog(500, 540_000);
}, 600_000);

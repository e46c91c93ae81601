import { drainBacklog } from '../support/backlog';

it('a backlog that takes longer to drain than the budget of tries lasts fails nobody, since it moves', async () => {
  await drainBacklog(60, 90_000);
}, 110_000);

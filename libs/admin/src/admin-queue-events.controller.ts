import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiProblems, ChangeFeed, EventStreams } from '@app/http';
import { AdminOnly } from '@app/teams';
import type { Request, Response } from 'express';
import { QueueState } from './queue-state';
import type { QueueStateDto } from './queue-state.dto';

/** There is one queue to watch. */
const QUEUE = 'queue';

/** What changes with every look although nothing happened is left out of the comparison. */
type Watched = Omit<QueueStateDto, 'generated_at'>;

@ApiTags('admin')
@ApiBearerAuth()
@AdminOnly()
@Controller('api/admin/ai/queue/events')
export class AdminQueueEventsController {
  private readonly feed: ChangeFeed<Watched>;

  constructor(
    queueState: QueueState,
    private readonly streams: EventStreams,
  ) {
    this.feed = new ChangeFeed(async () => {
      const { degraded, endpoints, caps } = await queueState.read();
      return new Map([[QUEUE, { degraded, endpoints, caps }]]);
    });
  }

  /** Server-sent events: `queue`, the same as GET …/queue, on change, at most four times a second. */
  @Get()
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiProblems('unauthorized', 'forbidden', 'too_many_requests')
  events(@Req() request: Request, @Res() response: Response): void {
    let stopWatching = (): void => undefined;
    const stream = this.streams.start(request, response, () => stopWatching());
    stopWatching = this.feed.watch(QUEUE, (state) =>
      stream.send('queue', { generated_at: new Date().toISOString(), ...state }),
    );
  }
}

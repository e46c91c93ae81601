import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiProblems, EventStreams, IdParamPipe } from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Request, Response } from 'express';
import { SessionFeed, type SessionState } from '../session-feed';
import { Sessions } from '../sessions';
import { SessionSummaryDto } from './session-answers.dto';

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('api/sessions')
export class SessionEventsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly feed: SessionFeed,
    private readonly streams: EventStreams,
  ) {}

  /** Server-sent events: `status` (the session as lists show it) and `wait` (its processing_wait, or null), on change. */
  @Get(':id/events')
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiProblems('unauthorized', 'not_found', 'too_many_requests', 'service_unavailable')
  async events(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.get(teamId, id);
    let stopWatching = (): void => undefined;
    const stream = this.streams.start(request, response, () => stopWatching());
    stopWatching = this.feed.watch(id, ({ session, wait }: SessionState) => {
      stream.send('status', SessionSummaryDto.of(session));
      stream.send('wait', wait);
    });
  }
}

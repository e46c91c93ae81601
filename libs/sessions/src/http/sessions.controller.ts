import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiProblems, decodeCursor, IdParamPipe, toPage } from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Response } from 'express';
import { SessionStore } from '../session-store';
import { SessionWaits } from '../session-waits';
import type { Session } from '../session.entity';
import { Sessions } from '../sessions';
import { asSrt, asText, asVtt } from '../transcript-formats';
import { SessionDto, SessionPageDto, SessionSummaryDto, TranscriptDto } from './session-answers.dto';
import { SessionLabelsDto, SessionListQueryDto, TranscriptQueryDto } from './session-requests.dto';

@ApiTags('sessions')
@ApiBearerAuth()
@ApiProblems('unauthorized', 'too_many_requests', 'service_unavailable')
@Controller('api/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly store: SessionStore,
    private readonly waits: SessionWaits,
  ) {}

  @Get()
  @ApiOkResponse({ type: SessionPageDto })
  @ApiProblems('validation_failed')
  async list(
    @CurrentPrincipal() { teamId }: Principal,
    @Query() query: SessionListQueryDto,
  ): Promise<SessionPageDto> {
    const filter = { teamId, campaignId: query.campaign_id, status: query.status };
    const rows = await this.store.list(filter, query.limit, decodeCursor(query.cursor));
    return toPage(rows, query.limit, (row) => SessionSummaryDto.of(row));
  }

  @Get(':id')
  @ApiOkResponse({ type: SessionDto })
  @ApiProblems('not_found')
  async get(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<SessionDto> {
    return this.present(await this.sessions.get(teamId, id));
  }

  @Patch(':id')
  @ApiOkResponse({ type: SessionDto })
  @ApiProblems('not_found', 'validation_failed')
  async edit(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Body() labels: SessionLabelsDto,
  ): Promise<SessionDto> {
    return this.present(await this.sessions.edit(teamId, id, labels));
  }

  /** A new run, from the last checkpoint; of a completed session from the start. */
  @Post(':id/retry')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: SessionDto })
  @ApiProblems('not_found', 'conflict')
  async retry(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<SessionDto> {
    return this.present(await this.sessions.retry(teamId, id));
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: SessionDto })
  @ApiProblems('not_found', 'conflict')
  async cancel(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<SessionDto> {
    return this.present(await this.sessions.cancel(teamId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_found')
  async remove(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<void> {
    await this.sessions.remove(teamId, id);
  }

  @Get(':id/transcript')
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(TranscriptDto) } },
      'text/plain': { schema: { type: 'string' } },
      'application/x-subrip': { schema: { type: 'string' } },
      'text/vtt': { schema: { type: 'string' } },
    },
  })
  @ApiProblems('not_found', 'validation_failed')
  async transcript(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Query() { format }: TranscriptQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TranscriptDto | string> {
    const transcript = await this.sessions.getTranscript(teamId, id);
    switch (format) {
      case 'json':
        return TranscriptDto.of(transcript);
      case 'txt':
        response.type('text/plain; charset=utf-8');
        return asText(transcript.segments);
      case 'srt':
        response.type('application/x-subrip; charset=utf-8');
        return asSrt(transcript.segments);
      case 'vtt':
        response.type('text/vtt; charset=utf-8');
        return asVtt(transcript.segments);
    }
  }

  private async present(session: Session): Promise<SessionDto> {
    const [recap, wait] = await Promise.all([this.store.findRecap(session.id), this.waits.find(session)]);
    return SessionDto.whole(session, recap?.text ?? null, wait);
  }
}

import type { Socket } from 'node:net';
import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { AppConfig } from '@app/config';
import { ApiIdempotencyKey, ApiProblems, IdempotencyKey, IdParamPipe, StrictValidationPipe } from '@app/http';
import { RecordingStore } from '@app/storage';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Request, Response } from 'express';
import { Campaigns } from '../campaigns';
import { SessionWaits } from '../session-waits';
import { Sessions } from '../sessions';
import { readRecordingUpload, refuseOversized } from './recording-upload';
import { SessionDto } from './session-answers.dto';
import { SessionLabelsDto } from './session-requests.dto';

/** How long the rest of a refused body is swallowed, so that the sender can read why. */
const SWALLOW_MS = 2_000;

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('api/campaigns')
export class SessionUploadsController {
  private readonly labels = new StrictValidationPipe();

  constructor(
    private readonly config: AppConfig,
    private readonly campaigns: Campaigns,
    private readonly sessions: Sessions,
    private readonly waits: SessionWaits,
    private readonly recordings: RecordingStore,
  ) {}

  /** Takes one recording and answers as soon as it is stored; the type is judged by the content. */
  @Post(':id/sessions')
  @HttpCode(202)
  @ApiIdempotencyKey()
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: {
      type: 'object',
      required: ['audio'],
      properties: {
        audio: { type: 'string', format: 'binary', description: 'wav, mp3, flac, ogg/opus, m4a or webm' },
        title: { type: 'string', maxLength: 200 },
        language: { type: 'string', example: 'en' },
      },
    },
  })
  @ApiAcceptedResponse({ type: SessionDto })
  @ApiProblems(
    'unauthorized',
    'not_found',
    'validation_failed',
    'payload_too_large',
    'unsupported_media_type',
  )
  @ApiProblems('conflict', 'too_many_requests', 'service_unavailable')
  async upload(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) campaignId: string,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    try {
      await this.campaigns.get(teamId, campaignId);
      refuseOversized(request, this.config.QB_UPLOAD_MAX_BYTES);
      const { recording, fields } = await readRecordingUpload(request, this.recordings);
      const labels = await this.readLabels(recording.key, fields);
      const session = await this.sessions.create(teamId, campaignId, recording, labels, idempotencyKey);
      return SessionDto.whole(session, null, await this.waits.find(session));
    } catch (error) {
      closeAfterAnswer(request, response);
      throw error;
    }
  }

  private async readLabels(recordingKey: string, fields: object): Promise<SessionLabelsDto> {
    try {
      return (await this.labels.transform(fields, {
        type: 'body',
        metatype: SessionLabelsDto,
      })) as SessionLabelsDto;
    } catch (error) {
      await this.recordings.remove(recordingKey);
      throw error;
    }
  }
}

/** The sender may still be in the middle of its body: let it read the answer, then hang up. */
function closeAfterAnswer(request: Request, response: Response): void {
  if (request.complete) return;
  response.setHeader('Connection', 'close');
  request.unpipe();
  request.resume();
  // Null when the sender has gone already, and later on, once it goes.
  const socket = request.socket as Socket | null;
  response.once('finish', () => setTimeout(() => socket?.destroy(), SWALLOW_MS).unref());
}

import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  abortWithClient,
  ApiIdempotencyKey,
  ApiProblems,
  decodeCursor,
  IdempotencyKey,
  IdParamPipe,
  toPage,
} from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Response } from 'express';
import { GenerationPreview } from '../generation-preview';
import { GenerationStore } from '../generation-store';
import { Generations } from '../generations';
import { GenerationDto, GenerationPageDto, PostedGenerationDto } from './generation-answers.dto';
import { GenerationListQueryDto, GenerationWishDto, wishOf } from './generation-requests.dto';

@ApiTags('generations')
@ApiBearerAuth()
@ApiProblems('unauthorized', 'too_many_requests', 'service_unavailable')
@Controller('api/generations')
export class GenerationsController {
  constructor(
    private readonly generations: Generations,
    private readonly store: GenerationStore,
    private readonly preview: GenerationPreview,
  ) {}

  /** Answers as soon as it is stored. Poll it: `pending` lasts for as long as it waits or runs. */
  @Post()
  @HttpCode(202)
  @ApiIdempotencyKey()
  @ApiAcceptedResponse({ type: PostedGenerationDto })
  @ApiProblems('validation_failed', 'conflict', 'payload_too_large')
  async create(
    @CurrentPrincipal() { teamId }: Principal,
    @Body() body: GenerationWishDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<PostedGenerationDto> {
    const seconds = body.expires_in_seconds;
    const { id, status } = await this.generations.create(teamId, wishOf(body), {
      idempotencyKey,
      ...(seconds === undefined ? {} : { expiresInMs: seconds * 1_000 }),
    });
    return { id, status };
  }

  @Get()
  @ApiOkResponse({ type: GenerationPageDto })
  @ApiProblems('validation_failed')
  async list(
    @CurrentPrincipal() { teamId }: Principal,
    @Query() query: GenerationListQueryDto,
  ): Promise<GenerationPageDto> {
    const filter = { teamId, status: query.status, workflowId: query.workflow_id };
    const rows = await this.store.list(filter, query.limit, decodeCursor(query.cursor));
    return toPage(rows, query.limit, (row) => GenerationDto.of(row));
  }

  /** Posts and waits. Its failure is the generation's own; past the deadline it is given up, a running call aborted. */
  @Post('preview')
  @HttpCode(200)
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: GenerationDto })
  @ApiProblems('validation_failed', 'conflict', 'payload_too_large', 'preview_deadline_exceeded')
  @ApiProblems('queue_unavailable', 'capacity_exhausted', 'provider_failed', 'provider_timeout')
  async runPreview(
    @CurrentPrincipal() { teamId }: Principal,
    @Body() body: GenerationWishDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<GenerationDto> {
    const client = abortWithClient(response);
    return GenerationDto.of(await this.preview.run(teamId, wishOf(body), client, idempotencyKey));
  }

  @Get(':id')
  @ApiOkResponse({ type: GenerationDto })
  @ApiProblems('not_found')
  async get(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<GenerationDto> {
    return GenerationDto.of(await this.generations.get(teamId, id));
  }

  /** A running call is aborted. */
  @Post(':id/cancel')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: GenerationDto })
  @ApiProblems('not_found', 'conflict')
  async cancel(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<GenerationDto> {
    return GenerationDto.of(await this.generations.cancel(teamId, id));
  }
}

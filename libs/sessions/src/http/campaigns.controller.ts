import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import { abortWithClient, ApiProblems, decodeCursor, IdParamPipe, PageQueryDto, toPage } from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Response } from 'express';
import { Campaigns } from '../campaigns';
import { SessionQuestions } from '../session-questions';
import { CampaignDto, CampaignPageDto, NamesDto } from './session-answers.dto';
import { CampaignNameDto, NamesWishDto } from './session-requests.dto';

@ApiTags('campaigns')
@ApiBearerAuth()
@ApiProblems('unauthorized', 'too_many_requests', 'service_unavailable')
@Controller('api/campaigns')
export class CampaignsController {
  constructor(
    private readonly campaigns: Campaigns,
    private readonly questions: SessionQuestions,
  ) {}

  @Post()
  @ApiCreatedResponse({ type: CampaignDto })
  @ApiProblems('validation_failed')
  async create(
    @CurrentPrincipal() { teamId }: Principal,
    @Body() { name }: CampaignNameDto,
  ): Promise<CampaignDto> {
    return CampaignDto.of(await this.campaigns.create(teamId, name));
  }

  @Get()
  @ApiOkResponse({ type: CampaignPageDto })
  @ApiProblems('validation_failed')
  async list(
    @CurrentPrincipal() { teamId }: Principal,
    @Query() page: PageQueryDto,
  ): Promise<CampaignPageDto> {
    const rows = await this.campaigns.list(teamId, page.limit, decodeCursor(page.cursor));
    return toPage(rows, page.limit, (row) => CampaignDto.of(row));
  }

  @Get(':id')
  @ApiOkResponse({ type: CampaignDto })
  @ApiProblems('not_found')
  async get(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<CampaignDto> {
    return CampaignDto.of(await this.campaigns.get(teamId, id));
  }

  @Patch(':id')
  @ApiOkResponse({ type: CampaignDto })
  @ApiProblems('not_found', 'validation_failed')
  async rename(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Body() { name }: CampaignNameDto,
  ): Promise<CampaignDto> {
    return CampaignDto.of(await this.campaigns.rename(teamId, id, name));
  }

  /** Only an empty campaign can be deleted. */
  @Delete(':id')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_found', 'conflict')
  async remove(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
  ): Promise<void> {
    await this.campaigns.remove(teamId, id);
  }

  /** Runs inside the request: refused at once while the LLM is busy. */
  @Post(':id/names')
  @HttpCode(200)
  @ApiOkResponse({ type: NamesDto })
  @ApiProblems(
    'not_found',
    'validation_failed',
    'provider_busy',
    'provider_rate_limited',
    'provider_failed',
    'provider_timeout',
  )
  async names(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Body() wish: NamesWishDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NamesDto> {
    return { names: await this.questions.namesForCampaign(teamId, id, wish, abortWithClient(response)) };
  }
}

import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { abortWithClient, ApiProblems, IdParamPipe } from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import type { Response } from 'express';
import { SessionQuestions } from '../session-questions';
import { AnswerDto, NamesDto } from './session-answers.dto';
import { NamesWishDto, QuestionDto } from './session-requests.dto';

/** Calls that run inside the request: refused at once while the LLM is busy, and then nothing was sent. */
@ApiTags('sessions')
@ApiBearerAuth()
@ApiProblems('unauthorized', 'too_many_requests', 'not_found', 'validation_failed', 'service_unavailable')
@ApiProblems('provider_busy', 'provider_rate_limited', 'provider_overloaded', 'provider_quota_exhausted')
@ApiProblems('provider_rejected', 'provider_failed', 'provider_unreachable', 'provider_timeout')
@Controller('api/sessions')
export class SessionQuestionsController {
  constructor(private readonly questions: SessionQuestions) {}

  @Post(':id/ask')
  @HttpCode(200)
  @ApiOkResponse({ type: AnswerDto })
  async ask(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Body() { question }: QuestionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AnswerDto> {
    return this.questions.ask(teamId, id, question, abortWithClient(response));
  }

  @Post(':id/names')
  @HttpCode(200)
  @ApiOkResponse({ type: NamesDto })
  async names(
    @CurrentPrincipal() { teamId }: Principal,
    @Param('id', IdParamPipe) id: string,
    @Body() wish: NamesWishDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NamesDto> {
    return { names: await this.questions.namesForSession(teamId, id, wish, abortWithClient(response)) };
  }
}

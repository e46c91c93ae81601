import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiProblems, decodeCursor, toPage } from '@app/http';
import { CurrentPrincipal, type Principal } from '@app/teams';
import { UsageLedger } from '../usage-ledger';
import { UsagePageDto, UsageQueryDto } from './usage.dto';

@ApiTags('usage')
@ApiBearerAuth()
@ApiProblems('unauthorized', 'too_many_requests', 'service_unavailable')
@Controller('api/usage')
export class UsageController {
  constructor(private readonly ledger: UsageLedger) {}

  /** The team's own ledger, newest first; with `session_id` what one session consumed. */
  @Get()
  @ApiOkResponse({ type: UsagePageDto })
  @ApiProblems('validation_failed')
  async list(
    @CurrentPrincipal() { teamId }: Principal,
    @Query() query: UsageQueryDto,
  ): Promise<UsagePageDto> {
    const { from, to, session_id: sessionId, limit, cursor } = query;
    const question = { teamId, from, to, sessionId };
    const [rows, totals] = await Promise.all([
      this.ledger.rows(question, limit, decodeCursor(cursor)),
      this.ledger.totals(question),
    ]);
    return { ...toPage(rows, limit, (row) => row), totals };
  }
}

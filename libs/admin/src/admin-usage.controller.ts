import { Controller, Get, Header, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtraModels,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiProblems, decodeCursor, toPage } from '@app/http';
import { AdminOnly } from '@app/teams';
import {
  type UsageDay,
  UsageDayDto,
  type UsageItem,
  UsageItemDto,
  UsageLedger,
  UsageQueryDto,
  type UsageTotals,
  UsageTotalsDto,
} from '@app/usage';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import type { Request, Response } from 'express';
import { toCsv } from './csv';

class AdminUsageQueryDto extends UsageQueryDto {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  team_id?: string;

  @ApiPropertyOptional({ enum: ['day'], description: 'Sums per day (UTC) and team instead of rows' })
  @IsOptional()
  @IsIn(['day'])
  group_by?: 'day';
}

class AdminUsageDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(UsageItemDto) }, { $ref: getSchemaPath(UsageDayDto) }] },
    description: 'Usage rows, or sums per day and team',
  })
  items!: Array<UsageItem | UsageDay>;

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;

  @ApiProperty({ type: UsageTotalsDto })
  totals!: UsageTotals;
}

@ApiTags('admin')
@ApiBearerAuth()
@AdminOnly()
@ApiExtraModels(UsageItemDto, UsageDayDto)
@ApiProblems('unauthorized', 'forbidden', 'too_many_requests', 'service_unavailable')
@Controller('api/admin/usage')
export class AdminUsageController {
  constructor(private readonly ledger: UsageLedger) {}

  /** The ledger of all teams, as JSON or, for `Accept: text/csv`, as CSV. */
  @Get()
  @Header('Vary', 'Accept')
  @ApiOkResponse({ type: AdminUsageDto })
  @ApiProblems('validation_failed')
  async list(
    @Query() query: AdminUsageQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminUsageDto | string> {
    const page = await this.read(query);
    if (request.accepts(['json', 'csv']) !== 'csv') return page;
    response.type('text/csv; charset=utf-8');
    if (page.next_cursor) response.setHeader('X-Next-Cursor', page.next_cursor);
    return toCsv(page.items);
  }

  private async read({
    team_id: teamId,
    from,
    to,
    session_id: sessionId,
    limit,
    cursor,
    group_by,
  }: AdminUsageQueryDto): Promise<AdminUsageDto> {
    const question = { teamId, from, to, sessionId };
    const totals = await this.ledger.totals(question);
    if (group_by) return { items: await this.ledger.days(question), next_cursor: null, totals };
    const rows = await this.ledger.rows(question, limit, decodeCursor(cursor));
    return { ...toPage(rows, limit, (row): UsageItem | UsageDay => row), totals };
  }
}

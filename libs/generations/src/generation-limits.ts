import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { type CapRequest, ProviderSlots } from '@app/provider-slots';
import { DataSource } from 'typeorm';
import { GenerationNews } from './generation-news';

/** Cap of all generations together. */
export const FLEET_CAP = 'generations';

/** Stored like a cap's override, but none: the limit of every team that has none of its own. */
export const EVERY_TEAM = 'generations:*';

/** In case the news of a change got lost. */
const REFRESH_MS = 5_000;

/** Teams told at once; each is one script in Redis. */
const TEAMS_AT_ONCE = 500;

/** Cap of one team's generations. */
export function teamCapOf(teamId: string): string {
  return `${FLEET_CAP}:${teamId}`;
}

/**
 * The limits of generations that are in force. One cap's own override lies in Redis, over what requests carry:
 *
 *     fleet   override of `generations`          > QB_GENERATION_FLEET_LIMIT
 *     team    override of `generations:<team>`   > the default of all teams, if stored > QB_GENERATION_TEAM_LIMIT
 *
 * The default of all teams reaches a cap in two ways: every request carries it from here, and the caps in use
 * when it changes get it laid on at once, since what waits there may not ask again for a while.
 */
@Injectable()
export class GenerationLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(GenerationLimits.name);
  private storedDefault: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly slots: ProviderSlots,
    private readonly news: GenerationNews,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.news.whenCapsChanged(() => void this.refreshQuietly());
    this.timer = setInterval(() => void this.refreshQuietly(), REFRESH_MS).unref();
    await this.refreshQuietly();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** What a generation's request takes besides its endpoint, narrowest first. */
  capsOf(teamId: string): CapRequest[] {
    return [
      { name: teamCapOf(teamId), limit: this.teamDefault, labels: { limitName: 'team' } },
      { name: FLEET_CAP, limit: this.config.QB_GENERATION_FLEET_LIMIT, labels: { limitName: 'fleet' } },
    ];
  }

  /** What holds for the fleet, for a team that has no limit of its own, and for the given team. */
  async inForce(teamId?: string): Promise<{ fleet: number; team: number }> {
    const stored = await this.storedOverrides();
    const teamDefault = stored.get(EVERY_TEAM) ?? this.config.QB_GENERATION_TEAM_LIMIT;
    return {
      fleet: stored.get(FLEET_CAP) ?? this.config.QB_GENERATION_FLEET_LIMIT,
      team: (teamId === undefined ? undefined : stored.get(teamCapOf(teamId))) ?? teamDefault,
    };
  }

  /** Whether `push` is what brings this stored override into force. */
  concerns(cap: string): boolean {
    return cap === FLEET_CAP || cap.startsWith(`${FLEET_CAP}:`);
  }

  /** Brings a stored override, or its removal, into force everywhere. @throws when Redis is away */
  async push(cap: string, limit: number | null): Promise<void> {
    if (cap === EVERY_TEAM) return this.spreadDefault();
    if (cap === FLEET_CAP) return this.slots.setLimit(cap, limit);
    const stored = await this.storedOverrides();
    await this.slots.setLimit(cap, limit ?? stored.get(EVERY_TEAM) ?? null);
  }

  /** Lays the default of all teams on every cap that is in use, and takes an earlier one off all others. */
  private async spreadDefault(): Promise<void> {
    await this.refresh();
    await this.news.tellCapsChanged();
    const stored = await this.storedOverrides();
    const limit = stored.get(EVERY_TEAM) ?? null;
    const snapshot = await this.slots.snapshot();
    const inUse = new Set(
      snapshot.caps.filter(({ inUse, waiting }) => inUse + waiting > 0).map(({ name }) => name),
    );
    const caps = (await this.allTeams()).map(teamCapOf).filter((cap) => !stored.has(cap));
    caps.sort((one, other) => Number(inUse.has(other)) - Number(inUse.has(one)));
    for (let start = 0; start < caps.length; start += TEAMS_AT_ONCE) {
      await Promise.all(
        caps
          .slice(start, start + TEAMS_AT_ONCE)
          .map((cap) => this.slots.setLimit(cap, inUse.has(cap) ? limit : null)),
      );
    }
  }

  private get teamDefault(): number {
    return this.storedDefault ?? this.config.QB_GENERATION_TEAM_LIMIT;
  }

  private async refresh(): Promise<void> {
    this.storedDefault = (await this.storedOverrides(EVERY_TEAM)).get(EVERY_TEAM);
  }

  /** Keeps what it knows while Postgres is away. */
  private async refreshQuietly(): Promise<void> {
    await this.refresh().catch((error: unknown) =>
      this.logger.debug({ err: error as Error }, 'Limits were not refreshed'),
    );
  }

  /** `limit_overrides` belongs to the admin side, which stands above this one; it is only read here. */
  private async storedOverrides(cap?: string): Promise<Map<string, number>> {
    const rows = await this.dataSource.query<Array<{ cap: string; max_slots: number }>>(
      `SELECT cap, max_slots FROM limit_overrides
       WHERE CASE WHEN $1::text IS NULL THEN cap = $2 OR cap LIKE $2 || ':%' ELSE cap = $1 END`,
      [cap ?? null, FLEET_CAP],
    );
    return new Map(rows.map((row) => [row.cap, row.max_slots]));
  }

  private async allTeams(): Promise<string[]> {
    const rows = await this.dataSource.query<Array<{ id: string }>>('SELECT id FROM teams');
    return rows.map(({ id }) => id);
  }
}

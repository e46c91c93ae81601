import type { ContendedRun } from './contended';
import type { ContenderName } from './contenders';
import type { EstimateRun } from './estimates';
import type { GenerationsRun } from './generations';
import type { ParkedCost } from './parked';
import type { PipelineRun } from './pipeline';
import type { TeamsCost } from './teams';
import type { UncontendedRun } from './uncontended';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly os: string;
  readonly node: string;
  readonly redis: string;
  /** Runnable processes per minute at the start and at the end: others were at work when it is far above 1. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

export interface Latency {
  readonly rounds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One run of the bench: medians of its rounds. */
export interface BenchResults {
  readonly ranAt: string;
  readonly rounds: number;
  machine: Machine;
  contended?: readonly {
    readonly processes: number;
    readonly byContender: Readonly<Record<ContenderName, ContendedRun>>;
  }[];
  admission?: readonly {
    readonly caps: number;
    readonly requests: number;
    readonly contender: ContenderName;
    readonly commands: number;
    readonly scripts: number;
  }[];
  uncontended?: readonly ({ readonly inFlight: number } & UncontendedRun)[];
  parked?: readonly ParkedCost[];
  handOff?: { readonly inPlace: Latency; readonly job: Latency };
  pipeline?: PipelineRun;
  generations?: GenerationsRun;
  teams?: readonly TeamsCost[];
  estimates?: EstimateRun;
}

import type { RequestKind } from '../flight-recorder';
import type { Match, Rule, Script } from './script';

/** What is known of a request: at its arrival, and once its body has been read. */
export interface RequestFacts {
  readonly kind: RequestKind;
  /** Every dialect it may be meant in; the first is the usual one. */
  readonly dialects: readonly string[];
  readonly path: string;
  readonly prompt?: string;
  readonly digest?: string;
}

export interface Cue {
  /** Number of the rule, from 1. */
  readonly number: number;
  readonly rule: Rule;
}

interface Played {
  readonly rule: Rule;
  met: number;
  acted: number;
}

const MOST_DIGESTS = 100_000;

/**
 * Finds the rule for a request: the first one, in the script's order, whose conditions and counts fit. Each
 * rule counts every request that meets its conditions, also those that another rule answers.
 */
export class ScriptPlayer {
  private rules: Played[] = [];
  private readonly sends = new Map<string, number>();

  /** Replaces the script; all counts begin anew. */
  put(script: Script): void {
    this.rules = script.rules.map((rule) => ({ rule, met: 0, acted: 0 }));
    this.sends.clear();
  }

  /** The rules as put, each with how many requests it met and how often it acted. */
  snapshot(): { rules: (Rule & { met: number; acted: number })[] } {
    return { rules: this.rules.map(({ rule, met, acted }) => ({ ...rule, met, acted })) };
  }

  /** Asked at the arrival: rules that act before the body is read. */
  cueAtArrival(facts: RequestFacts): Cue | undefined {
    return this.cue(facts, true, 1);
  }

  /** Asked when the body has been read: all other rules. */
  cueAfterBody(facts: RequestFacts): Cue | undefined {
    return this.cue(facts, false, this.countSend(facts.digest));
  }

  private cue(facts: RequestFacts, beforeBody: boolean, send: number): Cue | undefined {
    let cue: Cue | undefined;
    this.rules.forEach((played, index) => {
      const { rule } = played;
      if ((rule.action.before_body === true) !== beforeBody || !meets(rule.match, facts, send)) return;
      played.met += 1;
      if (cue !== undefined || !fits(rule.match, played)) return;
      played.acted += 1;
      cue = { number: index + 1, rule };
    });
    return cue;
  }

  private countSend(digest: string | undefined): number {
    if (digest === undefined) return 1;
    const send = (this.sends.get(digest) ?? 0) + 1;
    this.sends.set(digest, send);
    if (this.sends.size > MOST_DIGESTS) {
      const [oldest] = this.sends.keys();
      if (oldest !== undefined) this.sends.delete(oldest);
    }
    return send;
  }
}

function meets(match: Match, facts: RequestFacts, send: number): boolean {
  if (
    match.kind === undefined ? facts.kind === 'info' && match.path === undefined : match.kind !== facts.kind
  ) {
    return false;
  }
  if (match.dialect !== undefined && !facts.dialects.includes(match.dialect)) return false;
  if (match.path !== undefined && match.path !== facts.path) return false;
  const prompt = facts.prompt ?? '';
  if (match.mark !== undefined && !prompt.includes(`[${match.mark}]`)) return false;
  if (match.prompt_includes !== undefined && !prompt.includes(match.prompt_includes)) return false;
  return match.send === undefined || listed(match.send).includes(send);
}

function fits(match: Match, { met, acted }: Played): boolean {
  const from = match.from ?? 1;
  if (met < from || met > (match.until ?? Infinity)) return false;
  if (match.every !== undefined && (met - from + 1) % match.every !== 0) return false;
  if (match.nth !== undefined && !listed(match.nth).includes(met)) return false;
  return acted < (match.times ?? Infinity);
}

function listed(numbers: number | readonly number[]): readonly number[] {
  return typeof numbers === 'number' ? [numbers] : numbers;
}

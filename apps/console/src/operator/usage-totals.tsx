import type { ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { money, whole } from '../words/amounts';
import { howLong } from '../words/time-words';

export function UsageTotals({ totals }: { readonly totals: Schemas['UsageTotalsDto'] }): ReactNode {
  const tiles = [
    ['Runs and calls', whole(totals.rows)],
    ['Audio', howLong(totals.audio_seconds)],
    ['Transcribing', howLong(totals.asr_ms / 1_000)],
    ['Tokens in', whole(totals.input_tokens)],
    ['Tokens out', whole(totals.output_tokens)],
    ['Cost', money(totals.cost_micros)],
  ];
  return (
    <dl className="tiles">
      {tiles.map(([name, value]) => (
        <div key={name} className="tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { ReactNode } from 'react';
import type { Period } from './use-period';

export function PeriodFields({ period }: { readonly period: Period }): ReactNode {
  return (
    <>
      <div className="field">
        <label htmlFor="usage-from">From</label>
        <input
          id="usage-from"
          className="input"
          type="date"
          value={period.from}
          max={period.to}
          onChange={(event) => period.setFrom(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="usage-to">To</label>
        <input
          id="usage-to"
          className="input"
          type="date"
          value={period.to}
          min={period.from}
          onChange={(event) => period.setTo(event.target.value)}
        />
      </div>
    </>
  );
}

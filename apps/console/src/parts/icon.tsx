import type { ReactNode } from 'react';

const PATHS = {
  book: (
    <path d="M5 4.5h6a3 3 0 0 1 3 3v12a2.5 2.5 0 0 0-2.5-2.5H5zM19 4.5h-2a3 3 0 0 0-3 3v12a2.5 2.5 0 0 1 2.5-2.5H19z" />
  ),
  gauge: <path d="M4.5 17a8 8 0 1 1 15 0M12 14l3.5-4.5" />,
  bars: <path d="M5 20v-7M10 20V5M15 20v-9M20 20v-4" />,
  people: (
    <path d="M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3 19.5c.4-3.3 2.7-5 6-5s5.6 1.7 6 5M16 5a3 3 0 0 1 0 5.8M17.5 14.8c2 .6 3.2 2.2 3.5 4.7" />
  ),
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  cross: <path d="m6.5 6.5 11 11M17.5 6.5l-11 11" />,
  pencil: <path d="M4.5 19.5 5.5 15 15.5 5a2.1 2.1 0 0 1 3 3l-10 10z" />,
  upload: (
    <path d="M12 16V5m0 0L7.5 9.5M12 5l4.5 4.5M4.5 16v2.5a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5V16" />
  ),
  download: <path d="M12 4.5v11m0 0 4.5-4.5M12 15.5 7.5 11M4.5 19.5h15" />,
  sun: (
    <path d="M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  ),
  moon: <path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z" />,
  leave: <path d="M10 4.5H6a1.5 1.5 0 0 0-1.5 1.5v12A1.5 1.5 0 0 0 6 19.5h4M15 8l4 4-4 4M19 12H9.5" />,
  again: <path d="M19 12a7 7 0 1 1-2.1-5M19.5 4v4.5H15" />,
  cloud: <path d="M7 18.5a4 4 0 0 1-.5-8 5.5 5.5 0 0 1 10.6-1A4.5 4.5 0 0 1 17 18.5zM4 4l16 17" />,
  scroll: (
    <path d="M7 4.5h10.5v12M7 4.5a2 2 0 0 0-2 2V9h3V6.5M17.5 16.5v1a2.5 2.5 0 0 1-2.5 2.5H8.5M8 9v8.5a2.5 2.5 0 0 0 2.5 2.5M11 9h4M11 12.5h4" />
  ),
  wave: <path d="M4 12h1.5M8 8.5v7M12 5v14M16 8.5v7M18.5 12H20" />,
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words that say the same: hidden from those who listen. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  );
}

/** The mark of the product. */
export function Mark(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1d5f5a" />
      <path
        d="M8 21c3.5 0 3.5-10 7-10s3.5 10 7 10"
        fill="none"
        stroke="#f6efe1"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="24" cy="21" r="2.2" fill="#e9b35f" />
    </svg>
  );
}

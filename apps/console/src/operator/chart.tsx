import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useTheme } from '../parts/use-theme';

/** A colour of ours by the name of its variable: a canvas knows no CSS variables. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * One uPlot drawing that follows its container's width and the theme. `label` says in words what it shows; the
 * figures stand in a table or list beside it.
 */
export function Chart(props: {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  readonly options: () => Omit<uPlot.Options, 'width' | 'height'>;
  /** What `options` depends on besides the theme. */
  readonly shape: string;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const theme = useTheme();
  const { height, shape } = props;
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const container = frame.current;
    if (!container) return;
    const drawn = new uPlot(
      { ...latest.current.options(), width: container.clientWidth, height },
      latest.current.data,
      container,
    );
    plot.current = drawn;
    const watch = new ResizeObserver(() => drawn.setSize({ width: container.clientWidth, height }));
    watch.observe(container);
    return () => {
      watch.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [theme, shape, height]);

  useEffect(() => plot.current?.setData(props.data), [props.data]);
  return <div ref={frame} className="chart" role="img" aria-label={props.label} />;
}

export function axesOf(left?: uPlot.Axis): uPlot.Axis[] {
  const shared: uPlot.Axis = {
    stroke: colour('--ink-soft'),
    font: '12px "Inter Variable", system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return [
    { ...shared, grid: { show: false } },
    { ...shared, size: 46, ...left },
  ];
}

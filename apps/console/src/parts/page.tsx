import { type ReactNode, useEffect, useRef } from 'react';

let hasShownAPage = false;

/**
 * One page: names the tab, and puts the focus on its heading when it takes the place of another page, so that
 * those who listen hear where they are.
 */
export function Page(props: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  readonly crumbs?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const { title } = props;
  useEffect(() => {
    document.title = `${title} · Questline`;
  }, [title]);
  useEffect(() => {
    if (hasShownAPage) heading.current?.focus({ preventScroll: true });
    hasShownAPage = true;
    scrollTo(0, 0);
  }, []);
  return (
    <main className="page" id="content">
      <div className="page-head">
        {props.crumbs && (
          <nav aria-label="Where you are">
            <ol className="crumbs">{props.crumbs}</ol>
          </nav>
        )}
        <div className="title-line">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {props.heading}
        </div>
        {props.lead && <div className="lead">{props.lead}</div>}
      </div>
      {props.children}
    </main>
  );
}

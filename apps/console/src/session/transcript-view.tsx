import { useMutation } from '@tanstack/react-query';
import { Menu, MenuButton, MenuItem, MenuProvider } from '@ariakit/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { download, type Transcript } from '../api/client';
import { Icon } from '../parts/icon';
import { Empty, Refusal } from '../parts/states';
import { count, timestamp } from '../words/time-words';

type Segment = Transcript['segments'][number];

const FORMATS = [
  ['txt', 'Plain text'],
  ['srt', 'Subtitles (SRT)'],
  ['vtt', 'Subtitles (WebVTT)'],
  ['json', 'JSON'],
] as const;

const SPEAKER_COLOURS = 6;

export function TranscriptView(props: {
  readonly sessionId: string;
  readonly title: string;
  readonly transcript: Transcript;
}): ReactNode {
  const { segments } = props.transcript;
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLocaleLowerCase());
  const found = useMemo(
    () =>
      wanted
        ? segments.filter(
            ({ text, speaker }) =>
              text.toLocaleLowerCase().includes(wanted) || speaker?.toLocaleLowerCase().includes(wanted),
          )
        : segments,
    [segments, wanted],
  );
  const colours = useMemo(() => coloursOf(segments), [segments]);
  return (
    <section className="card" aria-labelledby="transcript">
      <div className="card-head">
        <h2 id="transcript">Transcript</h2>
        <DownloadMenu sessionId={props.sessionId} title={props.title} />
      </div>
      {segments.length === 0 ? (
        <Empty icon="wave" title="Nothing was said">
          The recording holds no speech that could be understood.
        </Empty>
      ) : (
        <div className="stack">
          <div className="field">
            <label className="hidden-visually" htmlFor="transcript-search">
              Search the transcript
            </label>
            <input
              id="transcript-search"
              className="input"
              type="search"
              placeholder="Search words or a speaker"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
            <span className="hint" role="status">
              {wanted
                ? found.length === 0
                  ? 'Nothing found'
                  : `${count(found.length, 'line')} found`
                : count(segments.length, 'line')}
            </span>
          </div>
          <ol className="segments">
            {found.map((segment, index) => (
              <SegmentLine
                key={`${segment.start}-${index}`}
                segment={segment}
                wanted={wanted}
                colour={colours.get(segment.speaker ?? '')}
                isSameSpeaker={!wanted && index > 0 && found[index - 1]?.speaker === segment.speaker}
              />
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

function SegmentLine(props: {
  readonly segment: Segment;
  readonly wanted: string;
  readonly colour: string | undefined;
  readonly isSameSpeaker: boolean;
}): ReactNode {
  const { start, speaker, text } = props.segment;
  return (
    <li className="segment">
      <time dateTime={`PT${Math.max(0, start)}S`}>{timestamp(start)}</time>
      <div>
        {speaker && !props.isSameSpeaker && (
          <span className="speaker" style={{ color: props.colour }}>
            <Marked text={speaker} wanted={props.wanted} />
          </span>
        )}
        <p>
          <Marked text={text} wanted={props.wanted} />
        </p>
      </div>
    </li>
  );
}

function Marked({ text, wanted }: { readonly text: string; readonly wanted: string }): ReactNode {
  if (!wanted) return text;
  const lower = text.toLocaleLowerCase();
  const pieces: ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return [...pieces, text.slice(from)];
}

function coloursOf(segments: readonly Segment[]): Map<string, string> {
  const colours = new Map<string, string>();
  for (const { speaker } of segments) {
    if (speaker && !colours.has(speaker)) {
      colours.set(speaker, `var(--speaker-${(colours.size % SPEAKER_COLOURS) + 1})`);
    }
  }
  return colours;
}

function DownloadMenu({
  sessionId,
  title,
}: {
  readonly sessionId: string;
  readonly title: string;
}): ReactNode {
  const fetching = useMutation({
    mutationFn: (format: string) =>
      download(`/api/sessions/${sessionId}/transcript?format=${format}`, `${fileNameOf(title)}.${format}`),
  });
  return (
    <div className="stack tight">
      <MenuProvider>
        <MenuButton className="button slim">
          <Icon name="download" /> Download
        </MenuButton>
        <Menu className="menu" gutter={6}>
          {FORMATS.map(([format, name]) => (
            <MenuItem key={format} className="menu-item" onClick={() => fetching.mutate(format)}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </MenuProvider>
      {fetching.error && <Refusal error={fetching.error} />}
    </div>
  );
}

function fileNameOf(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N} _-]+/gu, '')
      .trim()
      .slice(0, 80) || 'transcript'
  );
}

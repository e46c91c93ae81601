import { useQueryClient } from '@tanstack/react-query';
import {
  type DragEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Link } from 'wouter';
import { Icon } from '../parts/icon';
import { wordError } from '../parts/states';
import { say } from '../parts/toasts';
import { fileSize, titleOfFile } from '../words/amounts';
import {
  addUploads,
  cancelUpload,
  dismissUpload,
  onStored,
  onUploadsChange,
  readUploads,
  retryUpload,
  type Upload,
} from './upload-store';

const ACCEPTED = 'audio/*,.wav,.mp3,.flac,.ogg,.opus,.m4a,.webm';

/** Where recordings are dropped or chosen, and how far each has come. */
export function UploadPanel({ campaignId }: { readonly campaignId: string }): ReactNode {
  const queries = useQueryClient();
  const uploads = useSyncExternalStore(onUploadsChange, readUploads).filter(
    (upload) => upload.campaignId === campaignId,
  );
  const input = useRef<HTMLInputElement>(null);
  const inputId = useId();
  const [isOver, setIsOver] = useState(false);

  useEffect(() => {
    onStored((upload) => {
      say(`“${titleOfFile(upload.file.name)}” is uploaded and queued.`);
      void queries.invalidateQueries({ queryKey: ['sessions', 'list'] });
    });
  }, [queries]);

  const take = (files: FileList | null) => {
    if (files && files.length > 0) addUploads(campaignId, files);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  };

  return (
    <section className="stack" aria-label="Upload recordings">
      <div
        className={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <Icon name="upload" />
        <p>
          <strong>Drop recordings here</strong>
        </p>
        <p className="soft small">One or a whole evening: wav, mp3, flac, ogg, opus, m4a or webm</p>
        <button type="button" className="button" onClick={() => input.current?.click()}>
          Choose files
        </button>
        <label className="hidden-visually" htmlFor={inputId}>
          Recordings to upload
        </label>
        <input
          ref={input}
          id={inputId}
          className="hidden-visually"
          type="file"
          tabIndex={-1}
          multiple
          accept={ACCEPTED}
          onChange={(event) => {
            take(event.target.files);
            event.target.value = '';
          }}
        />
      </div>
      {uploads.length > 0 && (
        <ul className="card" aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </section>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }): ReactNode {
  const { id, file, state, progress, sessionId, error } = upload;
  const percent = Math.floor(progress * 100);
  return (
    <li className="upload">
      <span className="name">{file.name}</span>
      {state === 'sending' && <progress value={progress} max={1} aria-label={`Upload of ${file.name}`} />}
      <span className="soft small number">
        {state === 'waiting' && `Waits for its turn · ${fileSize(file.size)}`}
        {state === 'sending' &&
          (percent < 100 ? `${percent} % of ${fileSize(file.size)}` : 'Sent; the server is checking it')}
        {state === 'done' && 'Uploaded'}
        {state === 'cancelled' && 'Cancelled; nothing was kept'}
        {state === 'failed' && wordUploadError(error)}
      </span>
      <span className="row actions">
        {(state === 'waiting' || state === 'sending') && (
          <button type="button" className="button slim" onClick={() => cancelUpload(id)}>
            Cancel<span className="hidden-visually"> the upload of {file.name}</span>
          </button>
        )}
        {(state === 'failed' || state === 'cancelled') && (
          <button type="button" className="button slim" onClick={() => retryUpload(id)}>
            Send again<span className="hidden-visually">: {file.name}</span>
          </button>
        )}
        {state === 'done' && sessionId && (
          <Link href={`/sessions/${sessionId}`} className="button slim">
            Open<span className="hidden-visually"> {file.name}</span>
          </Link>
        )}
        {state !== 'waiting' && state !== 'sending' && (
          <button
            type="button"
            className="button quiet slim"
            aria-label={`Remove ${file.name} from this list`}
            onClick={() => dismissUpload(id)}
          >
            <Icon name="cross" />
          </button>
        )}
      </span>
    </li>
  );
}

function wordUploadError(error: unknown): string {
  const { title, detail } = wordError(error);
  return `${title} ${detail}`;
}

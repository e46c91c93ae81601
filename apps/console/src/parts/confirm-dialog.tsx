import { Dialog, DialogDismiss, DialogHeading } from '@ariakit/react';
import type { ReactNode } from 'react';
import { Refusal } from './states';

/** Asks once more before something that cannot be taken back, or that others will feel. */
export function ConfirmDialog(props: {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      className="dialog"
      backdrop={<div className="backdrop" />}
      unmountOnHide
    >
      <DialogHeading render={<h2 />}>{props.title}</DialogHeading>
      <div>{props.children}</div>
      {props.error != null && <Refusal error={props.error} />}
      <div className="row">
        <DialogDismiss className="button">Keep as it is</DialogDismiss>
        <button
          type="button"
          className={`button ${props.danger ? 'danger' : 'primary'}`}
          disabled={props.pending}
          onClick={props.onConfirm}
        >
          {props.confirm}
        </button>
      </div>
    </Dialog>
  );
}

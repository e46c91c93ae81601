import { Dialog, DialogHeading } from '@ariakit/react';
import type { ReactNode } from 'react';

export function FormDialog(props: {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
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
      {props.children}
    </Dialog>
  );
}

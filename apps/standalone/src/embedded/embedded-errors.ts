/** Base of what can go wrong with the embedded stores; the message is meant for a terminal, as it stands. */
export class EmbeddedStoresError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Another process works on the same data folder. Two servers on one folder would destroy it. */
export class DataFolderInUseError extends EmbeddedStoresError {
  constructor(
    readonly folder: string,
    readonly holderPid: number,
    detail: string,
  ) {
    super(`The data folder ${folder} is in use by process ${holderPid} (${detail}).`);
  }
}

/** A server's program is not on this machine and could not be put there. */
export class StoreBinaryMissingError extends EmbeddedStoresError {}

/** A server was started and did not become ready; carries the end of its log. */
export class StoreStartError extends EmbeddedStoresError {
  constructor(
    readonly store: string,
    reason: string,
    readonly logTail: string,
    options?: ErrorOptions,
  ) {
    super(`${store} did not start: ${reason}${logTail === '' ? '' : `\n${logTail}`}`, options);
  }
}

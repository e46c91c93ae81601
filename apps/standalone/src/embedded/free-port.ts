import { createServer, type AddressInfo } from 'node:net';

/**
 * A TCP port of the loopback interface that was free a moment ago. Somebody may take it before its server
 * binds it, so who starts a server there checks by pid who answers, and tries again with another port.
 */
export function findFreePort(): Promise<number> {
  return bindOnce(0);
}

/** Whether the port was free a moment ago; what is no port is not. 0 always is. */
export function isPortFree(port: number): Promise<boolean> {
  return bindOnce(port).then(
    () => true,
    () => false,
  );
}

function bindOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

export { Broadcast } from './broadcast';
export { queuesRoot, slotsRoot } from './key-space';
export { COMMAND_TIMEOUT_MS, connectRedis, type ConnectionRole } from './redis-connection';

export { bigintAsNumber } from './column-transformers';
export { assertMigrated, dataSourceOptions, runMigrations } from './data-source';
export {
  isDatabaseAway,
  isForeignKeyViolation,
  isUniqueViolation,
  isUnstorableText,
} from './database-errors';
export { PersistenceModule } from './persistence.module';

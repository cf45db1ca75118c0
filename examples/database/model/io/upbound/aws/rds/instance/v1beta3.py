"""Kind Instance of rds.aws.upbound.io/v1beta3.

Made by `crossplane-lite generate`, which overwrites changes.
"""

# fmt: off
# ruff: noqa
from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        "Instance": "@rds.aws.upbound.io/v1beta3;Cluster metadata:metav1.ObjectMeta spec:InstanceSpec status:InstanceStatus",
        "InstanceSpec": "deletionPolicy:s forProvider:ForProvider initProvider:InitProvider managementPolicies:[s providerConfigRef:ProviderConfigRef writeConnectionSecretToRef:WriteConnectionSecretToRef",
        "InstanceStatus": "atProvider:AtProvider conditions:[ConditionsItem#type lastHandledReconcileAt:s observedGeneration:i",
        "ForProvider": "allocatedStorage:f allowMajorVersionUpgrade:b applyImmediately:b autoGeneratePassword:b autoMinorVersionUpgrade:b availabilityZone:s backupRetentionPeriod:f backupTarget:s backupWindow:s blueGreenUpdate:BlueGreenUpdate caCertIdentifier:s characterSetName:s copyTagsToSnapshot:b customIamInstanceProfile:s customerOwnedIpEnabled:b databaseInsightsMode:s dbName:s dbSubnetGroupName:s dbSubnetGroupNameRef:DbSubnetGroupNameRef dbSubnetGroupNameSelector:DbSubnetGroupNameSelector dedicatedLogVolume:b deleteAutomatedBackups:b deletionProtection:b domain:s domainAuthSecretArn:s domainDnsIps:[s domainFqdn:s domainIamRoleName:s domainOu:s enabledCloudwatchLogsExports:[s engine:s engineLifecycleSupport:s engineVersion:s finalSnapshotIdentifier:s iamDatabaseAuthenticationEnabled:b identifier:s identifierPrefix:s instanceClass:s iops:f kmsKeyId:s kmsKeyIdRef:KmsKeyIdRef kmsKeyIdSelector:KmsKeyIdSelector licenseModel:s maintenanceWindow:s manageMasterUserPassword:b masterUserSecretKmsKeyId:s masterUserSecretKmsKeyIdRef:MasterUserSecretKmsKeyIdRef masterUserSecretKmsKeyIdSelector:MasterUserSecretKmsKeyIdSelector maxAllocatedStorage:f monitoringInterval:f monitoringRoleArn:s monitoringRoleArnRef:MonitoringRoleArnRef monitoringRoleArnSelector:MonitoringRoleArnSelector multiAz:b ncharCharacterSetName:s networkType:s optionGroupName:s parameterGroupName:s parameterGroupNameRef:ParameterGroupNameRef parameterGroupNameSelector:ParameterGroupNameSelector passwordSecretRef:PasswordSecretRef passwordWoSecretRef:PasswordWoSecretRef passwordWoVersion:f performanceInsightsEnabled:b performanceInsightsKmsKeyId:s performanceInsightsKmsKeyIdRef:PerformanceInsightsKmsKeyIdRef performanceInsightsKmsKeyIdSelector:PerformanceInsightsKmsKeyIdSelector performanceInsightsRetentionPeriod:f port:f publiclyAccessible:b region:s replicaMode:s replicateSourceDb:s replicateSourceDbRef:ReplicateSourceDbRef replicateSourceDbSelector:ReplicateSourceDbSelector restoreToPointInTime:RestoreToPointInTime s3Import:S3Import skipFinalSnapshot:b snapshotIdentifier:s storageEncrypted:b storageThroughput:f storageType:s tags:{s timezone:s upgradeStorageConfig:b username:s vpcSecurityGroupIdRefs:[VpcSecurityGroupIdRefsItem vpcSecurityGroupIdSelector:VpcSecurityGroupIdSelector vpcSecurityGroupIds:[s",
        "InitProvider": "allocatedStorage:f allowMajorVersionUpgrade:b applyImmediately:b autoMinorVersionUpgrade:b availabilityZone:s backupRetentionPeriod:f backupTarget:s backupWindow:s blueGreenUpdate:BlueGreenUpdate caCertIdentifier:s characterSetName:s copyTagsToSnapshot:b customIamInstanceProfile:s customerOwnedIpEnabled:b databaseInsightsMode:s dbName:s dbSubnetGroupName:s dbSubnetGroupNameRef:DbSubnetGroupNameRef dbSubnetGroupNameSelector:DbSubnetGroupNameSelector dedicatedLogVolume:b deleteAutomatedBackups:b deletionProtection:b domain:s domainAuthSecretArn:s domainDnsIps:[s domainFqdn:s domainIamRoleName:s domainOu:s enabledCloudwatchLogsExports:[s engine:s engineLifecycleSupport:s engineVersion:s finalSnapshotIdentifier:s iamDatabaseAuthenticationEnabled:b identifier:s identifierPrefix:s instanceClass:s iops:f kmsKeyId:s kmsKeyIdRef:KmsKeyIdRef kmsKeyIdSelector:KmsKeyIdSelector licenseModel:s maintenanceWindow:s manageMasterUserPassword:b masterUserSecretKmsKeyId:s masterUserSecretKmsKeyIdRef:MasterUserSecretKmsKeyIdRef masterUserSecretKmsKeyIdSelector:MasterUserSecretKmsKeyIdSelector maxAllocatedStorage:f monitoringInterval:f monitoringRoleArn:s monitoringRoleArnRef:MonitoringRoleArnRef monitoringRoleArnSelector:MonitoringRoleArnSelector multiAz:b ncharCharacterSetName:s networkType:s optionGroupName:s parameterGroupName:s parameterGroupNameRef:ParameterGroupNameRef parameterGroupNameSelector:ParameterGroupNameSelector passwordSecretRef:PasswordSecretRef passwordWoSecretRef:PasswordWoSecretRef passwordWoVersion:f performanceInsightsEnabled:b performanceInsightsKmsKeyId:s performanceInsightsKmsKeyIdRef:PerformanceInsightsKmsKeyIdRef performanceInsightsKmsKeyIdSelector:PerformanceInsightsKmsKeyIdSelector performanceInsightsRetentionPeriod:f port:f publiclyAccessible:b replicaMode:s replicateSourceDb:s replicateSourceDbRef:ReplicateSourceDbRef replicateSourceDbSelector:ReplicateSourceDbSelector restoreToPointInTime:RestoreToPointInTime s3Import:S3Import skipFinalSnapshot:b snapshotIdentifier:s storageEncrypted:b storageThroughput:f storageType:s tags:{s timezone:s upgradeStorageConfig:b username:s vpcSecurityGroupIdRefs:[VpcSecurityGroupIdRefsItem vpcSecurityGroupIdSelector:VpcSecurityGroupIdSelector vpcSecurityGroupIds:[s",
        "ProviderConfigRef": "name:s policy:Policy",
        "WriteConnectionSecretToRef": "name:s namespace:s",
        "AtProvider": "address:s allocatedStorage:f allowMajorVersionUpgrade:b applyImmediately:b arn:s autoMinorVersionUpgrade:b availabilityZone:s backupRetentionPeriod:f backupTarget:s backupWindow:s blueGreenUpdate:BlueGreenUpdate caCertIdentifier:s characterSetName:s copyTagsToSnapshot:b customIamInstanceProfile:s customerOwnedIpEnabled:b databaseInsightsMode:s dbName:s dbSubnetGroupName:s dedicatedLogVolume:b deleteAutomatedBackups:b deletionProtection:b domain:s domainAuthSecretArn:s domainDnsIps:[s domainFqdn:s domainIamRoleName:s domainOu:s enabledCloudwatchLogsExports:[s endpoint:s engine:s engineLifecycleSupport:s engineVersion:s engineVersionActual:s finalSnapshotIdentifier:s hostedZoneId:s iamDatabaseAuthenticationEnabled:b id:s identifier:s identifierPrefix:s instanceClass:s iops:f kmsKeyId:s latestRestorableTime:s licenseModel:s listenerEndpoint:[ListenerEndpointItem maintenanceWindow:s manageMasterUserPassword:b masterUserSecret:[MasterUserSecretItem masterUserSecretKmsKeyId:s maxAllocatedStorage:f monitoringInterval:f monitoringRoleArn:s multiAz:b ncharCharacterSetName:s networkType:s optionGroupName:s parameterGroupName:s passwordWoVersion:f performanceInsightsEnabled:b performanceInsightsKmsKeyId:s performanceInsightsRetentionPeriod:f port:f publiclyAccessible:b region:s replicaMode:s replicas:[s replicateSourceDb:s resourceId:s restoreToPointInTime:RestoreToPointInTime s3Import:S3Import skipFinalSnapshot:b snapshotIdentifier:s status:s storageEncrypted:b storageThroughput:f storageType:s tags:{s tagsAll:{s timezone:s upgradeRolloutOrder:s upgradeStorageConfig:b username:s vpcSecurityGroupIds:[s",
        "ConditionsItem": "lastTransitionTime:s message:s observedGeneration:i reason:s status:s type:s",
        "BlueGreenUpdate": "enabled:b",
        "DbSubnetGroupNameRef": "name:s policy:Policy",
        "DbSubnetGroupNameSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "KmsKeyIdRef": "name:s policy:Policy",
        "KmsKeyIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "MasterUserSecretKmsKeyIdRef": "name:s policy:Policy",
        "MasterUserSecretKmsKeyIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "MonitoringRoleArnRef": "name:s policy:Policy",
        "MonitoringRoleArnSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "ParameterGroupNameRef": "name:s policy:Policy",
        "ParameterGroupNameSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "PasswordSecretRef": "key:s name:s namespace:s",
        "PasswordWoSecretRef": "key:s name:s namespace:s",
        "PerformanceInsightsKmsKeyIdRef": "name:s policy:Policy",
        "PerformanceInsightsKmsKeyIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "ReplicateSourceDbRef": "name:s policy:Policy",
        "ReplicateSourceDbSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "RestoreToPointInTime": "restoreTime:s sourceDbInstanceAutomatedBackupsArn:s sourceDbInstanceIdentifier:s sourceDbiResourceId:s useLatestRestorableTime:b",
        "S3Import": "bucketName:s bucketPrefix:s ingestionRole:s sourceEngine:s sourceEngineVersion:s",
        "VpcSecurityGroupIdRefsItem": "name:s policy:Policy",
        "VpcSecurityGroupIdSelector": "matchControllerRef:b matchLabels:{s policy:Policy",
        "Policy": "resolution:s resolve:s",
        "ListenerEndpointItem": "address:s hostedZoneId:s port:f",
        "MasterUserSecretItem": "kmsKeyId:s secretArn:s secretStatus:s",
    },
    metav1="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)

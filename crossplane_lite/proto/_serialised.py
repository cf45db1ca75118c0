"""Serialised descriptors of the messages for one level of a Struct, and of the view.

This file is the output of `_build.serialised_source`; a test compares the two. It is kept because loading the bytes is
faster than building them from the table at every start.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEVEL", "VIEW"]

LEVEL: Final = (
    b"\n\x1bcrossplane_lite/level.prot"
    b'o\x12\x14crossplane_lite.view"o\n\x05L'
    b"evel\x127\n\x06fields\x18\x01 \x03(\x0b2'.cross"
    b"plane_lite.view.Level.Fields"
    b"Entry\x1a-\n\x0bFieldsEntry\x12\x0b\n\x03key\x18"
    b'\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c:\x028\x01"\x1b\n\t'
    b'ListLevel\x12\x0e\n\x06values\x18\x01 \x03(\x0c"\x9e\x01'
    b"\n\nValueLevel\x12\x14\n\nnull_value\x18\x01"
    b" \x01(\x05H\x00\x12\x16\n\x0cnumber_value\x18\x02 \x01(\x01"
    b"H\x00\x12\x16\n\x0cstring_value\x18\x03 \x01(\tH\x00\x12\x14"
    b"\n\nbool_value\x18\x04 \x01(\x08H\x00\x12\x16\n\x0cstru"
    b"ct_value\x18\x05 \x01(\x0cH\x00\x12\x14\n\nlist_val"
    b"ue\x18\x06 \x01(\x0cH\x00B\x06\n\x04kindb\x06proto3"
)

VIEW: Final = (
    b"\n\x1acrossplane_lite/view.proto"
    b'\x12\x14crossplane_lite.view"\xa3\x07\n\x12R'
    b"unFunctionRequest\x12/\n\x04meta\x18\x01 "
    b"\x01(\x0b2!.crossplane_lite.view.R"
    b"equestMeta\x12-\n\x08observed\x18\x02 \x01(\x0b"
    b"2\x1b.crossplane_lite.view.Stat"
    b"e\x12,\n\x07desired\x18\x03 \x01(\x0b2\x1b.crosspl"
    b"ane_lite.view.State\x12\x12\n\x05input"
    b"\x18\x04 \x01(\x0cH\x00\x88\x01\x01\x12\x14\n\x07context\x18\x05 \x01(\x0c"
    b"H\x01\x88\x01\x01\x12Y\n\x0fextra_resources\x18\x06 \x03"
    b"(\x0b2<.crossplane_lite.view.Ru"
    b"nFunctionRequest.ExtraResour"
    b"cesEntryB\x02\x18\x01\x12N\n\x0bcredentials\x18"
    b"\x07 \x03(\x0b29.crossplane_lite.view"
    b".RunFunctionRequest.Credenti"
    b"alsEntry\x12[\n\x12required_resourc"
    b"es\x18\x08 \x03(\x0b2?.crossplane_lite.v"
    b"iew.RunFunctionRequest.Requi"
    b"redResourcesEntry\x12W\n\x10require"
    b"d_schemas\x18\t \x03(\x0b2=.crossplane"
    b"_lite.view.RunFunctionReques"
    b"t.RequiredSchemasEntry\x1aV\n\x13Ex"
    b"traResourcesEntry\x12\x0b\n\x03key\x18\x01 \x01"
    b"(\t\x12.\n\x05value\x18\x02 \x01(\x0b2\x1f.crosspla"
    b"ne_lite.view.Resources:\x028\x01\x1aU"
    b"\n\x10CredentialsEntry\x12\x0b\n\x03key\x18\x01 "
    b"\x01(\t\x120\n\x05value\x18\x02 \x01(\x0b2!.crosspl"
    b"ane_lite.view.Credentials:\x028"
    b"\x01\x1aY\n\x16RequiredResourcesEntry\x12"
    b"\x0b\n\x03key\x18\x01 \x01(\t\x12.\n\x05value\x18\x02 \x01(\x0b2"
    b"\x1f.crossplane_lite.view.Resou"
    b"rces:\x028\x01\x1aT\n\x14RequiredSchemasE"
    b"ntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12+\n\x05value\x18\x02"
    b" \x01(\x0b2\x1c.crossplane_lite.view."
    b"Schema:\x028\x01B\x08\n\x06_inputB\n\n\x08_con"
    b'text"X\n\x0bCredentials\x12?\n\x0fcrede'
    b"ntial_data\x18\x01 \x01(\x0b2$.crossplan"
    b"e_lite.view.CredentialDataH\x00"
    b'B\x08\n\x06source"{\n\x0eCredentialData'
    b"\x12<\n\x04data\x18\x01 \x03(\x0b2..crossplane_"
    b"lite.view.CredentialData.Dat"
    b"aEntry\x1a+\n\tDataEntry\x12\x0b\n\x03key\x18\x01"
    b' \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c:\x028\x01":\n\tR'
    b"esources\x12-\n\x05items\x18\x01 \x03(\x0b2\x1e.cr"
    b'ossplane_lite.view.Resource"'
    b"\xd5\x02\n\x13RunFunctionResponse\x120\n\x04m"
    b'eta\x18\x01 \x01(\x0b2".crossplane_lite.'
    b"view.ResponseMeta\x12,\n\x07desired"
    b"\x18\x02 \x01(\x0b2\x1b.crossplane_lite.vie"
    b"w.State\x12-\n\x07results\x18\x03 \x03(\x0b2\x1c.c"
    b"rossplane_lite.view.Result\x12\x14"
    b"\n\x07context\x18\x04 \x01(\x0cH\x00\x88\x01\x01\x128\n\x0crequ"
    b'irements\x18\x05 \x01(\x0b2".crossplane_'
    b"lite.view.Requirements\x123\n\nco"
    b"nditions\x18\x06 \x03(\x0b2\x1f.crossplane_"
    b"lite.view.Condition\x12\x13\n\x06outpu"
    b"t\x18\x07 \x01(\x0cH\x01\x88\x01\x01B\n\n\x08_contextB\t\n\x07"
    b'_output"R\n\x0bRequestMeta\x12\x0b\n\x03ta'
    b"g\x18\x01 \x01(\t\x126\n\x0ccapabilities\x18\x02 \x03("
    b"\x0e2 .crossplane_lite.view.Cap"
    b'ability"\xfa\x03\n\x0cRequirements\x12S\n\x0f'
    b"extra_resources\x18\x01 \x03(\x0b26.cros"
    b"splane_lite.view.Requirement"
    b"s.ExtraResourcesEntryB\x02\x18\x01\x12D\n"
    b"\tresources\x18\x02 \x03(\x0b21.crossplan"
    b"e_lite.view.Requirements.Res"
    b"ourcesEntry\x12@\n\x07schemas\x18\x03 \x03(\x0b"
    b"2/.crossplane_lite.view.Requ"
    b"irements.SchemasEntry\x1a]\n\x13Ext"
    b"raResourcesEntry\x12\x0b\n\x03key\x18\x01 \x01("
    b"\t\x125\n\x05value\x18\x02 \x01(\x0b2&.crossplan"
    b"e_lite.view.ResourceSelector"
    b":\x028\x01\x1aX\n\x0eResourcesEntry\x12\x0b\n\x03ke"
    b"y\x18\x01 \x01(\t\x125\n\x05value\x18\x02 \x01(\x0b2&.cro"
    b"ssplane_lite.view.ResourceSe"
    b"lector:\x028\x01\x1aT\n\x0cSchemasEntry\x12\x0b"
    b"\n\x03key\x18\x01 \x01(\t\x123\n\x05value\x18\x02 \x01(\x0b2$"
    b".crossplane_lite.view.Schema"
    b'Selector:\x028\x01"\xb5\x01\n\x10ResourceSel'
    b"ector\x12\x13\n\x0bapi_version\x18\x01 \x01(\t\x12\x0c"
    b"\n\x04kind\x18\x02 \x01(\t\x12\x14\n\nmatch_name\x18\x03"
    b" \x01(\tH\x00\x129\n\x0cmatch_labels\x18\x04 \x01(\x0b"
    b"2!.crossplane_lite.view.Matc"
    b"hLabelsH\x00\x12\x16\n\tnamespace\x18\x05 \x01(\t"
    b"H\x01\x88\x01\x01B\x07\n\x05matchB\x0c\n\n_namespace"
    b'"{\n\x0bMatchLabels\x12=\n\x06labels\x18\x01 '
    b"\x03(\x0b2-.crossplane_lite.view.M"
    b"atchLabels.LabelsEntry\x1a-\n\x0bLa"
    b"belsEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05va"
    b'lue\x18\x02 \x01(\t:\x028\x01"3\n\x0eSchemaSelec'
    b"tor\x12\x13\n\x0bapi_version\x18\x01 \x01(\t\x12\x0c\n\x04"
    b'kind\x18\x02 \x01(\t"0\n\x06Schema\x12\x17\n\nopen'
    b"api_v3\x18\x01 \x01(\x0cH\x00\x88\x01\x01B\r\n\x0b_openap"
    b'i_v3"U\n\x0cResponseMeta\x12\x0b\n\x03tag\x18'
    b"\x01 \x01(\t\x120\n\x03ttl\x18\x02 \x01(\x0b2\x1e.crosspl"
    b"ane_lite.view.DurationH\x00\x88\x01\x01B"
    b'\x06\n\x04_ttl"\xcb\x01\n\x05State\x121\n\tcomposi'
    b"te\x18\x01 \x01(\x0b2\x1e.crossplane_lite.v"
    b"iew.Resource\x12=\n\tresources\x18\x02 "
    b"\x03(\x0b2*.crossplane_lite.view.S"
    b"tate.ResourcesEntry\x1aP\n\x0eResou"
    b"rcesEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12-\n\x05va"
    b"lue\x18\x02 \x01(\x0b2\x1e.crossplane_lite."
    b'view.Resource:\x028\x01"\xe7\x01\n\x08Resour'
    b"ce\x12\x15\n\x08resource\x18\x01 \x01(\x0cH\x00\x88\x01\x01\x12Q\n"
    b"\x12connection_details\x18\x02 \x03(\x0b25."
    b"crossplane_lite.view.Resourc"
    b"e.ConnectionDetailsEntry\x12*\n\x05"
    b"ready\x18\x03 \x01(\x0e2\x1b.crossplane_lit"
    b"e.view.Ready\x1a8\n\x16ConnectionDe"
    b"tailsEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05v"
    b'alue\x18\x02 \x01(\x0c:\x028\x01B\x0b\n\t_resource"'
    b"\xa9\x01\n\x06Result\x120\n\x08severity\x18\x01 \x01(\x0e"
    b"2\x1e.crossplane_lite.view.Seve"
    b"rity\x12\x0f\n\x07message\x18\x02 \x01(\t\x12\x13\n\x06rea"
    b"son\x18\x03 \x01(\tH\x00\x88\x01\x01\x121\n\x06target\x18\x04 \x01"
    b"(\x0e2\x1c.crossplane_lite.view.Ta"
    b"rgetH\x01\x88\x01\x01B\t\n\x07_reasonB\t\n\x07_tar"
    b'get"\xb7\x01\n\tCondition\x12\x0c\n\x04type\x18\x01 '
    b"\x01(\t\x12,\n\x06status\x18\x02 \x01(\x0e2\x1c.crossp"
    b"lane_lite.view.Status\x12\x0e\n\x06rea"
    b"son\x18\x03 \x01(\t\x12\x14\n\x07message\x18\x04 \x01(\tH\x00"
    b"\x88\x01\x01\x121\n\x06target\x18\x05 \x01(\x0e2\x1c.crossp"
    b"lane_lite.view.TargetH\x01\x88\x01\x01B\n"
    b'\n\x08_messageB\t\n\x07_target"*\n\x08Dur'
    b"ation\x12\x0f\n\x07seconds\x18\x01 \x01(\x03\x12\r\n\x05na"
    b"nos\x18\x02 \x01(\x05*\xc0\x01\n\nCapability\x12\x1a\n\x16"
    b"CAPABILITY_UNSPECIFIED\x10\x00\x12\x1b\n\x17"
    b"CAPABILITY_CAPABILITIES\x10\x01\x12!\n"
    b"\x1dCAPABILITY_REQUIRED_RESOURC"
    b"ES\x10\x02\x12\x1a\n\x16CAPABILITY_CREDENTIA"
    b"LS\x10\x03\x12\x19\n\x15CAPABILITY_CONDITION"
    b"S\x10\x04\x12\x1f\n\x1bCAPABILITY_REQUIRED_S"
    b"CHEMAS\x10\x05*?\n\x05Ready\x12\x15\n\x11READY_U"
    b"NSPECIFIED\x10\x00\x12\x0e\n\nREADY_TRUE\x10\x01"
    b"\x12\x0f\n\x0bREADY_FALSE\x10\x02*c\n\x08Severit"
    b"y\x12\x18\n\x14SEVERITY_UNSPECIFIED\x10\x00\x12"
    b"\x12\n\x0eSEVERITY_FATAL\x10\x01\x12\x14\n\x10SEVER"
    b"ITY_WARNING\x10\x02\x12\x13\n\x0fSEVERITY_NO"
    b"RMAL\x10\x03*V\n\x06Target\x12\x16\n\x12TARGET_U"
    b"NSPECIFIED\x10\x00\x12\x14\n\x10TARGET_COMPO"
    b"SITE\x10\x01\x12\x1e\n\x1aTARGET_COMPOSITE_A"
    b"ND_CLAIM\x10\x02*\x7f\n\x06Status\x12 \n\x1cSTAT"
    b"US_CONDITION_UNSPECIFIED\x10\x00\x12\x1c"
    b"\n\x18STATUS_CONDITION_UNKNOWN\x10\x01"
    b"\x12\x19\n\x15STATUS_CONDITION_TRUE\x10\x02\x12"
    b"\x1a\n\x16STATUS_CONDITION_FALSE\x10\x03b"
    b"\x06proto3"
)
